"""Errors of turns."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class TurnError(RoundtableError):
    """The turn cannot take it."""

    error_code = "turn_error"


class NoTurnError(TurnError):
    """A reply before any turn was shown."""

    error_code = "no_turn"
    message = "no turn was shown to {seat} yet."
    hint = "rt turn"


class UnknownTurnError(TurnError):
    """No turn of that name."""

    error_code = "unknown_turn"
    message = "there is no turn {turn}."
    hint = "rt status lists the turns"


class TurnClosedError(TurnError):
    """The turn is closed already."""

    error_code = "turn_closed"
    message = "the turn {turn} is closed ({state})."


class UnusableReplyError(TurnError):
    """A reply that is empty, echoes the prompt or speaks as another."""

    error_code = "unusable_reply"
    message = "the reply was refused: {reason}. The turn stays open."
    hint = "answer in your own voice, starting with ## Position"


class BadTokenError(TurnError):
    """A token that is not the seat's own."""

    error_code = "bad_token"
    message = "this is not the token of seat {seat}."
    hint = "run rt from the seat's own session"

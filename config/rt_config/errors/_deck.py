"""Errors of tmux."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class DeckError(RoundtableError):
    """tmux could not do it."""

    error_code = "deck_error"


class TmuxMissingError(DeckError):
    """No tmux on PATH."""

    error_code = "tmux_missing"
    message = "tmux is not installed."
    hint = "{install}"


class TmuxTooOldError(DeckError):
    """A tmux without what the deck needs."""

    error_code = "tmux_too_old"
    message = "tmux {found} is too old; {needed} or newer is needed."
    hint = "update tmux"


class TmuxTimeoutError(DeckError):
    """tmux did not answer in time: indeterminate, neither done nor not done, never repeated blindly."""

    error_code = "tmux_timeout"
    message = "tmux did not answer within {seconds} s ({command})."
    hint = "rt deck list; a stopped tmux server can be continued with kill -CONT"


class TmuxDownError(DeckError):
    """No tmux server on our socket."""

    error_code = "tmux_down"
    message = "no tmux server answers on {socket}."
    hint = "rt resume"


class TmuxFailedError(DeckError):
    """tmux answered with an error that has no class of its own."""

    error_code = "tmux_failed"
    message = "tmux {command} failed: {reason}"


class SessionGoneError(DeckError):
    """No session of that name (any more)."""

    error_code = "session_gone"
    message = "there is no session {session}."
    hint = "rt deck list"


class SessionExistsError(DeckError):
    """A second create."""

    error_code = "session_exists"
    message = "the session {session} exists already."


class SessionAmbiguousError(DeckError):
    """A reference that several sessions match."""

    error_code = "session_ambiguous"
    message = "{session} could be: {matches}"
    hint = "use the session's id"


class SessionDiedError(DeckError):
    """A session whose command ended right after its start."""

    error_code = "session_died"
    message = "{session} ended right after its start (exit {exit_code_seen}): {last_output}"


class WorkdirMismatchError(DeckError):
    """A session that runs in another directory than required."""

    error_code = "workdir_mismatch"
    message = "{session} runs in {found}, not in {workdir}."


class DeckGroupBusyError(DeckError):
    """A deck group that still holds sessions."""

    error_code = "deck_group_busy"
    message = "the deck group {group} still holds {sessions}."
    hint = "rt deck remove SESSION, one by one"


class NudgeRefusedError(DeckError):
    """A pane that must not be typed into now."""

    error_code = "nudge_refused"
    message = "{session} was not nudged: {reason}"

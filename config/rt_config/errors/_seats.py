"""Errors of what runs in a seat: each is one strike."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class SeatError(RoundtableError):
    """A seat's own failure: one strike."""

    error_code = "seat_error"


class CliMissingError(SeatError):
    """The agent CLI is not on PATH."""

    error_code = "cli_missing"
    message = "{cli} is not installed."
    hint = "{install}"


class CliFailedError(SeatError):
    """The agent CLI exited with an error."""

    error_code = "cli_failed"
    message = "{cli} exited with {status}: {last_output}"


class CliTimeoutError(SeatError):
    """The agent CLI ran over its deadline."""

    error_code = "cli_timeout"
    message = "{cli} did not answer within {seconds} s ({which})."


class CliSilentError(SeatError):
    """The agent CLI exited without an answer."""

    error_code = "cli_silent"
    message = "{cli} exited without an answer."

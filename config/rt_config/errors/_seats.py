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
    """The agent CLI failed."""

    error_code = "cli_failed"
    message = "{cli} failed: {reason}"


class CliLoginError(SeatError):
    """The agent CLI wants a login."""

    error_code = "cli_login"
    message = "{cli} is not logged in ({said})."
    hint = "{login}"


class CliTimeoutError(SeatError):
    """The agent CLI ran over its deadline."""

    error_code = "cli_timeout"
    message = "{cli} did not answer within {seconds} s."


class CliSilentError(SeatError):
    """The agent CLI exited without an answer."""

    error_code = "cli_silent"
    message = "{cli} exited without an answer."

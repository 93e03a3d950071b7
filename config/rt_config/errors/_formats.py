"""Errors of formats: procedures that a host runs over a table."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class FormatError(RoundtableError):
    """The procedure of a table cannot go on, or cannot take it."""

    error_code = "format_error"


class FormatChangedError(FormatError):
    """The procedure asks for another step than the one that was recorded; the table stays readable."""

    error_code = "format_changed"
    message = "the format of {table} recorded {recorded} as its step {number}, and now asks for {found}."
    hint = "rt resume {table} --as-open goes on by hand"


class FormatRunningError(FormatError):
    """Something that would cross a running procedure."""

    error_code = "format_running"
    message = "the format {format} of {table} asks the seats itself: {what} is not possible now."
    hint = "say it without --to: every seat of the next step gets it"


class NoGateError(FormatError):
    """A decision that nobody waits for."""

    error_code = "no_gate"
    message = "{table} waits for no decision."
    hint = "rt status -t {table}"


class BadChoiceError(FormatError):
    """A decision that this gate does not offer; nothing was decided."""

    error_code = "bad_choice"
    message = "this gate of {table} offers {offered}, not {choice}."


class NoRepliesError(FormatError):
    """A step that nobody answered."""

    error_code = "no_replies"
    message = "nobody answered {step} of {table}."
    hint = "rt resume {table}, then rt decide retry"


class NoConsensusError(FormatError):
    """A run that was to end in consensus and did not; everything it found is kept."""

    error_code = "no_consensus"
    message = "{table} ended without consensus: {reason}."
    hint = "read {report}"


class TooFewSeatsError(FormatError):
    """Less seats than the format needs; it did not start."""

    error_code = "too_few_seats"
    message = "{format} needs {needed} seats, there are {there}; missing: {missing}"


class NoReportError(FormatError):
    """A report before its format has ended, or of a table without one."""

    error_code = "no_report"
    message = "{table} has no report: {reason}."
    hint = "rt transcript -t {table}"

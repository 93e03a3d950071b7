"""Errors of tables."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class TableError(RoundtableError):
    """The table cannot take it."""

    error_code = "table_error"


class UnknownTableError(TableError):
    """No table of that id."""

    error_code = "unknown_table"
    message = "there is no table {table}."
    hint = "rt list"


class UnknownSeatError(TableError):
    """No seat of that slug."""

    error_code = "unknown_seat"
    message = "{table} has no seat {seat}; there are: {known}"


class SeatExistsError(TableError):
    """A slug that is taken."""

    error_code = "seat_exists"
    message = "{table} has a seat {seat} already."


class TableEndedError(TableError):
    """The table has ended."""

    error_code = "table_ended"
    message = "{table} has ended."
    hint = "rt resume {table} opens it again"


class TableArchivedError(TableError):
    """The table is archived."""

    error_code = "table_archived"
    message = "{table} is archived."
    hint = "rt resume {table} brings it back"


class HostDownError(TableError):
    """The table's host is not there and could not be started."""

    error_code = "host_down"
    message = "the host of {table} does not run: {reason}"
    hint = "rt resume {table}"


class StaleHostError(TableError):
    """A write by a host that another one has replaced; refused."""

    error_code = "stale_host"
    message = "another host holds {table} now (epoch {epoch})."


class UnknownCitationError(TableError):
    """A synthesis that cites what does not exist; nothing was posted."""

    error_code = "unknown_citation"
    message = "{citations} does not exist; this record ends at m{head}. Nothing was posted."


class NoFinalSynthesisError(TableError):
    """An end without a synthesis newer than the last reply."""

    error_code = "no_final_synthesis"
    message = "{table} has no final synthesis."
    hint = "rt end --file FILE, or --without-synthesis"


class UndrainedError(TableError):
    """Replies that nobody has read."""

    error_code = "undrained"
    message = "{count} messages of {table} are not drained."
    hint = "rt drain -t {table}"


class NoSeatsError(TableError):
    """Nobody is left to ask."""

    error_code = "no_seats"
    message = "{table} has no live seat to ask."
    hint = "rt seat add SLUG=PROFILE"


class ChecksFailedError(TableError):
    """No seat passed the check before round 1; nothing was made."""

    error_code = "checks_failed"
    message = "no seat passed its check: {reasons}"
    hint = "rt doctor"

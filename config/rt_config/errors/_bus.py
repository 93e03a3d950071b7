"""Errors of the server behind the bus."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class BusError(RoundtableError):
    """The server could not do it."""

    error_code = "bus_error"


class BusDownError(BusError):
    """No answer from the server."""

    error_code = "bus_down"
    message = "the bus at {url} does not answer: {reason}"
    hint = "rt bus start, or check RT_REDIS_URL"


class BusFullError(BusError):
    """The server's memory is full; nothing was stored. Cursors, acks and archive still work."""

    error_code = "bus_full"
    message = "the bus has no memory left; nothing was stored."
    hint = "archive old tables (rt archive), or raise maxmemory"


class BusBusyError(BusError):
    """The bus is in use by live tables."""

    error_code = "bus_busy"
    message = "tables have a live host: {tables}"
    hint = "end them first, or rt bus stop --force"


class DiskFullError(BusError):
    """Too little disk left to promise that a message is kept; nothing was stored."""

    error_code = "disk_full"
    message = "the disk under {path} is full: {needed_bytes} bytes must be free, {free_bytes} are."
    hint = "free some space, then rt bus start"


class NoServerError(BusError):
    """No server binary can be found."""

    error_code = "no_server"
    message = "no Redis or Valkey server found (6.2 or newer)."
    hint = "{install}"


class SchemaNewerError(BusError):
    """The space was written by a newer roundtable."""

    error_code = "schema_newer"
    message = "the space {space} has schema {found}, this rt knows {known}."
    hint = "update rt"


class SchemaOlderError(BusError):
    """The space was written by an older roundtable and is not migrated yet."""

    error_code = "schema_older"
    message = "the space {space} has schema {found}, this rt works with {known}."
    hint = "any command of the moderator brings it up to date: rt list"

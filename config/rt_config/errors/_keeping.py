"""Errors of what is kept in files: exports, backups, archives."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class KeepingError(RoundtableError):
    """A file that keeps a record, or what it is about, is not as it must be; nothing was changed."""

    error_code = "keeping_error"


class DamagedFileError(KeepingError):
    """A file that is not whole: cut, changed, or not one of ours. Nothing of it was used."""

    error_code = "damaged_file"
    message = "{path} is damaged: {reason}. Nothing was changed."
    hint = "use another copy of it"


class FileFailedError(KeepingError):
    """A file that cannot be read or written."""

    error_code = "file_failed"
    message = "{path}: {reason}."


class TableExistsError(KeepingError):
    """An import over a table, or a space, of the same name and another content."""

    error_code = "table_exists"
    message = "{table} is there already, and differs. Nothing was changed."
    hint = "rt bus restore --force replaces it; or delete it first: rt archive -t {table} --delete-record"


class TableBusyError(KeepingError):
    """A table that changed again and again while it was put away."""

    error_code = "table_busy"
    message = "{table} is in use: {reason}. It stays in the bus."
    hint = "try again"


class ArchiveMissingError(KeepingError):
    """The file of an offloaded table is not in this RT_HOME."""

    error_code = "archive_missing"
    message = "the record of {table} was put into a file on {machine}, and {path} does not exist."
    hint = "copy that file to this place"


class SkillNotOursError(KeepingError):
    """A skill's file that a person wrote, or changed. Nothing was changed."""

    error_code = "skill_not_ours"
    message = "{path} stays: {why}. Nothing was changed."
    hint = "look at it, then add --force; or move it away"


class SinkFailedError(KeepingError):
    """A sink did not take a post."""

    error_code = "sink_failed"
    message = "sink {sink} did not take it: {reason}"
    hint = "rt sinks list"

"""Errors of the call itself: exit 2, nothing was done."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class UsageError(RoundtableError):
    """The call itself is wrong; nothing was done."""

    error_code = "usage"
    exit_code = 2


class BadSlugError(UsageError):
    """A slug that is not `[a-z0-9][a-z0-9_-]{0,31}` or holds `--`."""

    error_code = "bad_slug"
    message = "{slug!r} is not a slug."
    hint = "use 1 to 32 of a-z, 0-9, _ and -, starting with a letter or digit, without '--'"


class BadAddressError(UsageError):
    """An address without scheme, or with white space or control characters."""

    error_code = "bad_address"
    message = "{address!r} is not an address."
    hint = "an address reads scheme/id, for example group/ideas or participant/skeptic"


class BadMessageIdError(UsageError):
    """Something that should be a message number, such as m12."""

    error_code = "bad_message_id"
    message = "{given!r} is not a message number."
    hint = "message numbers read m12"


class BadConfigError(UsageError):
    """A configuration file, seats file or option that cannot be used."""

    error_code = "bad_config"
    message = "{where}: {reason}"


class AmbiguousTableError(UsageError):
    """Several open tables and none named."""

    error_code = "ambiguous_table"
    message = "several tables are open: {tables}"
    hint = "name one with --table ID"


class NoTableError(UsageError):
    """No open table and none named."""

    error_code = "no_table"
    message = "no table is open."
    hint = 'start one: rt start "your topic"'


class UnknownProfileError(UsageError):
    """A profile name that no file defines."""

    error_code = "unknown_profile"
    message = "no profile is called {profile!r}; there are: {known}"
    hint = "rt profiles list"


class UnknownSinkError(UsageError):
    """A sink that config.toml does not name."""

    error_code = "unknown_sink"
    message = "no sink is called {sink!r}; there are: {known}"
    hint = "rt sinks list; docs/sinks.md shows how to write one"


class NotInASeatError(UsageError):
    """A command that a seat may not run."""

    error_code = "not_in_a_seat"
    message = "rt {command} is not available in a seat."
    hint = "in a seat: rt turn, reply, read, post, show, wait"


class ConfirmationNeededError(UsageError):
    """Something that asks first, without a terminal to ask on."""

    error_code = "confirmation_needed"
    message = "{what} asks first, and there is no terminal to ask on."
    hint = "add --yes"


class WorkdirMissingError(UsageError):
    """A working directory that does not exist; tmux would silently use another."""

    error_code = "workdir_missing"
    message = "the working directory {workdir} does not exist."
    hint = "create it, or name another with --cwd"

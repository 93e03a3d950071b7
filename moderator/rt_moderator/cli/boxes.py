"""What `mail` and `group` share: a mailbox of the right space, and the text of a message from -m, --file or stdin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import Command, emit, emit_json, open_shell
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_mailbox.mailbox import Mailbox
    from rt_moderator.shell import Shell


def done(as_json: bool, text: str, **fields: object) -> int:
    """Say what was done: `fields` as JSON, or `text`; the exit code."""
    emit_json(fields) if as_json else emit(plain(text))
    return 0


def space_option(function: Command) -> Command:
    """--space NAME; else RT_SPACE or the configuration, else `default`."""
    return click.option(
        "--space", default=None, metavar="NAME", help="The space; default: the configured one."
    )(function)


def opened(space: str | None) -> tuple[Shell, Mailbox]:
    """The bus, and its mailbox as seen from that space."""
    shell = _opened(space)
    return shell, box_in(shell, shell.space)


def opened_for(name: str, space: str | None) -> tuple[Shell, Mailbox, str]:
    """The bus, the mailbox of the space in which the group NAME is, and the group's address.

    group/roundtable-<table id> is in that table's space, any other in `space`.
    """
    from rt_mailbox.inbox import space_of_group

    shell = _opened(space)
    group = name if "/" in name else f"group/{name}"
    return shell, box_in(shell, space_of_group(group, shell.space)), group


def _opened(space: str | None) -> Shell:
    """A shell whose connection ends with the command."""
    shell = open_shell(space=space)
    click.get_current_context().call_on_close(shell.door.close)
    return shell


def box_in(shell: Shell, space: str) -> Mailbox:
    """A mailbox on the shell's own connection, with the configured limits."""
    from rt_mailbox.mailbox import Mailbox

    settings = shell.settings
    return Mailbox(
        shell.url,
        space,
        max_body_bytes=settings.max_body_bytes,
        fail_backoff_seconds=settings.fail_backoff_seconds,
        max_hold_seconds=settings.max_hold_seconds,
        acked_mail_kept=settings.acked_mail_kept,
        door=shell.door,
    )


def body(text: str | None, file: str | None) -> str:
    """The text of -m, --file or stdin (--file -), byte for byte.

    Raises:
        EmptyBodyError: neither was given. UsageError: both were, or the file cannot be read.
    """
    from rt_config.errors import UsageError
    from rt_participant.commands import body_of

    if text is not None and file is not None:
        raise UsageError(reason="give the text with -m or with --file, not with both.")
    try:
        return body_of({"text": text, "file": file})
    except OSError as exc:
        raise UsageError(reason=f"{file}: {exc.strerror}") from exc


def id_prefix(group: str) -> str:
    """What ids of a group's messages start with: the table's id, or the group's address."""
    return group.removeprefix("group/roundtable-")

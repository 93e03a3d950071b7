"""The commands of `rt group` that read: list, recv, peek, wait, history. Only recv marks anything read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json
from rt_moderator.cli.boxes import done, id_prefix, opened, opened_for, space_option

if TYPE_CHECKING:
    from rt_mailbox.messages import Message

NOTHING_IN_TIME = 3
_name = click.argument("name")
_as = click.option("--as", "person", required=True, metavar="PERSON", help="Whose unread.")
_max = click.option(
    "--max", "most", type=click.IntRange(1), default=None, help="At most so many messages (default 100)."
)
_chars = click.option("--max-chars", "chars", type=click.IntRange(0), default=None, help="At most so many characters (default 24,000; 0: no bound).")  # fmt: skip


@command("list", example="rt group list ideas --as ann")
@click.argument("name", required=False)
@click.option("--as", "person", default=None, metavar="PERSON", help="Who looks; needed with NAME.")
@click.option("--max", "most", type=click.IntRange(1, 1000), default=100, show_default=True)
@click.option("--from", "first", default=None, metavar="m12", help="From there on; default: the latest.")
@space_option
def list_groups(name: str | None, space: str | None, as_json: bool, **how: Any) -> int:
    """List a group's messages and who has read them, marking nothing; without NAME the groups there are."""
    from rt_config.errors import UsageError
    from rt_mailbox.addresses import seq_of

    if name is None:
        found = opened(space)[1].groups()
        return done(as_json, "\n".join(found) or "there is no group.", groups=found)
    if not how["person"]:
        raise UsageError(reason="who looks? Add --as PERSON.")
    _, box, address = opened_for(name, space)
    first = seq_of(how["first"]) if how["first"] else 0
    listed = box.list_group(address, how["person"], first=first, limit=how["most"])
    if as_json:
        from rt_mailbox.wire import iso

        rows = [one._asdict() | {"from": one.sender, "sent_at": iso(one.sent_at)} for one in listed]
        emit_json(
            {"group": address, "messages": [{k: v for k, v in row.items() if k != "sender"} for row in rows]}
        )
        return 0
    from rt_moderator.words import grid
    from rt_participant.show import line
    from rt_participant.show import person as shown

    cells = [
        (f"m{one.seq}", "read" if one.read else "unread", f"{one.read_count}/{one.eligible_count}", shown(one.sender),
         one.kind, line(one.subject))
        for one in listed
    ]  # fmt: skip
    emit("\n".join(grid(cells, indent="")) or "no messages.")
    return 0


@command("recv", example="rt group recv ideas --as ann")
@_name
@_as
@_max
@_chars
@space_option
def recv(
    name: str, person: str, most: int | None, chars: int | None, space: str | None, as_json: bool
) -> int:
    """Read what is new; marked as read once it was printed whole."""
    return _take(name, space, person, (most, chars), as_json=as_json, commit=True)


@command("peek", example="rt group peek ideas --as ann")
@_name
@_as
@_max
@_chars
@space_option
def peek(
    name: str, person: str, most: int | None, chars: int | None, space: str | None, as_json: bool
) -> int:
    """Read what is new without marking it."""
    return _take(name, space, person, (most, chars), as_json=as_json, commit=False)


def _take(
    name: str,
    space: str | None,
    person: str,
    bounds: tuple[int | None, int | None],
    *,
    as_json: bool,
    commit: bool,
) -> int:
    shell, box, address = opened_for(name, space)
    most, chars = bounds[0] or shell.settings.max_messages, bounds[1]
    chars = shell.settings.max_chars if chars is None else chars
    found = box.drain(address, person, max_messages=most, max_chars=chars)
    if as_json:
        fields = {
            "group": address,
            "messages": _json(address, found.messages),
            "unread_left": found.unread_left,
        }
        emit_json(fields | ({"history_lost": _seqs(found.lost)} if found.lost else {}))
    else:
        lost = f"history_lost: {_seqs(found.lost)} (the bus came back without them)\n\n" if found.lost else ""
        left = f"\n{found.unread_left} more unread." if found.unread_left else ""
        emit(lost + ((_text(found.messages) + left) if found.messages else "no updates."))
    if commit:
        found.commit()
    return 0


def _seqs(lost: str) -> str:
    return "–".join(f"m{seq}" for seq in dict.fromkeys(lost.split("-")))


def _json(address: str, found: list[Message]) -> list[dict[str, Any]]:
    from rt_mailbox.messages import as_dict
    from rt_mailbox.wire import to_json

    return [to_json(as_dict(one), id_prefix(address)) for one in found]


def _text(found: list[Message]) -> str:
    from rt_mailbox.messages import as_dict
    from rt_participant.show import message

    return "\n".join(message(as_dict(one)) for one in found)


@command("wait", example="rt group wait ideas --as ann --timeout 60 && rt group recv ideas --as ann")
@_name
@_as
@click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=None,
    metavar="SECONDS",
    help="Give up after this long (exit 3).",
)
@space_option
def wait(name: str, person: str, timeout: float | None, space: str | None, as_json: bool) -> int:
    """Block until recv would give something."""
    _, box, address = opened_for(name, space)
    ready = box.wait(address, person, 1e9 if timeout is None else timeout)
    unread = box.unread(address, person)
    done(
        as_json, f"ready: {unread} unread." if ready else "nothing came in time.", ready=ready, unread=unread
    )
    return 0 if ready else NOTHING_IN_TIME


@command("history", example="rt group history ideas --from m3 --to m9")
@_name
@click.option("--as", "person", default="", metavar="PERSON", help="Only what this person may see.")
@click.option("--from", "first", default="m1", metavar="m12", help="The first message.")
@click.option("--to", "last", default=None, metavar="m12", help="The last message.")
@space_option
def history(name: str, person: str, first: str, last: str | None, space: str | None, as_json: bool) -> int:
    """Print the record, read or not; marks nothing."""
    from rt_mailbox.addresses import seq_of

    _, box, address = opened_for(name, space)
    found = list(box.history(address, person, first=seq_of(first), last=seq_of(last) if last else 0))
    if as_json:
        emit_json({"group": address, "messages": _json(address, found)})
    else:
        emit(_text(found) or "no messages.")
    return 0


COMMANDS = (list_groups, recv, peek, wait, history)

"""group: groups by hand. Each command is the twin of a method of `rt_mailbox.mailbox.Mailbox`."""

from __future__ import annotations

from typing import Any

import click

from rt_moderator.cli import group_reading
from rt_moderator.cli.base import body_options, command, terminal
from rt_moderator.cli.boxes import body, done, id_prefix, opened_for, space_option

_name = click.argument("name")
_person = click.argument("person")
_address = click.argument("address")
_as = click.option("--as", "person", required=True, metavar="PERSON", help="Whose unread.")


@click.group("group", epilog="\b\nExample:\n  rt group create ideas\n  rt group add-member ideas ann\n  rt group send ideas --from ann -m 'hello'")  # fmt: skip
def group() -> None:
    """Groups: one record, and what each person has read of it."""


@command("create", example="rt group create ideas")
@_name
@space_option
def create(name: str, space: str | None, as_json: bool) -> int:
    """Create a group; NAME reads ideas or group/ideas."""
    shell, box, address = opened_for(name, space)
    shell.guard_disk()
    box.create_group(address)
    return done(as_json, f"{address} is created.", group=address)


@command("add-member", example="rt group add-member ideas ann --history last:10")
@_name
@_person
@click.option(
    "--history",
    default="all",
    show_default=True,
    metavar="all|none|last:N",
    help="What of the past is visible.",
)
@space_option
def add_member(name: str, person: str, history: str, space: str | None, as_json: bool) -> int:
    """Make a person a member."""
    _, box, address = opened_for(name, space)
    box.add_member(address, person, history)
    return done(as_json, f"{person} is a member of {address}.", group=address, person=person)


@command("remove-member", example="rt group remove-member ideas ann")
@_name
@_person
@space_option
def remove_member(name: str, person: str, space: str | None, as_json: bool) -> int:
    """End a membership: nothing new, the old stays readable."""
    _, box, address = opened_for(name, space)
    box.remove_member(address, person)
    return done(as_json, f"{person} has left {address}.", group=address, person=person)


@command("members", example="rt group members ideas")
@_name
@space_option
def members(name: str, space: str | None, as_json: bool) -> int:
    """List everybody who ever joined, and how far they have read."""
    _, box, address = opened_for(name, space)
    found = box.members(address)
    rows = [f"{one.person}  read m{one.cursor}{'' if one.active else '  left'}" for one in found]
    return done(
        as_json, "\n".join(rows) or "nobody.", group=address, members=[one._asdict() for one in found]
    )


@command("add-subscriber", example="rt group add-subscriber ideas agent-deck/notes --person ann")
@_name
@_address
@click.option("--person", required=True, help="Whose unread messages are noticed.")
@space_option
def add_subscriber(name: str, address: str, person: str, space: str | None, as_json: bool) -> int:
    """Give ADDRESS a notice while a person has unread messages; rt mail recv and wait see it."""
    shell, box, found = opened_for(name, space)
    new = box.add_subscriber(found, address, person, home=shell.space)
    text = f"{address} is told when {person} has unread messages{'' if new else ', as before'}."
    return done(as_json, text, group=found, address=address, person=person, duplicate=not new)


@command("remove-subscriber", example="rt group remove-subscriber ideas agent-deck/notes")
@_name
@_address
@space_option
def remove_subscriber(name: str, address: str, space: str | None, as_json: bool) -> int:
    """End a subscription."""
    shell, box, found = opened_for(name, space)
    box.remove_subscriber(found, address, home=shell.space)
    return done(as_json, f"{address} is told no more.", group=found, address=address)


@command("subscribers", example="rt group subscribers ideas")
@_name
@space_option
def subscribers(name: str, space: str | None, as_json: bool) -> int:
    """List who is told, and for whom."""
    _, box, address = opened_for(name, space)
    found = [{"address": one, "person": person} for one, person in box.subscribers(address).items()]
    rows = [f"{one['address']}  for {one['person']}" for one in found]
    return done(as_json, "\n".join(rows) or "nobody.", group=address, subscribers=found)


@command("send", example="rt group send ideas --from ann --file - < note.md")
@_name
@click.option(
    "--from", "person", required=True, metavar="PERSON", help="A member, or the address of a subscriber."
)
@body_options
@click.option("--subject", default="", help="One line.")
@click.option("--key", default="", metavar="KEY", help="Idempotency key: the same key never sends twice.")
@space_option
def send(
    name: str, person: str, text: str | None, file: str | None, space: str | None, as_json: bool, **how: Any
) -> int:
    """Append a note to a group."""
    said = body(text, file)
    shell, box, address = opened_for(name, space)
    shell.guard_disk()
    found = box.send(address, person, said, **how)
    fields = {
        "seq": found.seq,
        "id": f"{id_prefix(address)}/m{found.seq}",
        "duplicate": found.duplicate,
        "late": False,
    }
    note = "posted before, with this key" if found.duplicate else f"posted to {found.eligible_count}"
    return done(as_json, f"m{found.seq} {note}.", eligible_count=found.eligible_count, **fields)


@command("mark-read", example="rt group mark-read ideas --as ann --to m12")
@_name
@_as
@click.option("--to", "last", default=None, metavar="m12", help="Up to this message; default: all.")
@space_option
def mark_read(name: str, person: str, last: str | None, space: str | None, as_json: bool) -> int:
    """Mark messages as read without reading them."""
    from rt_mailbox.addresses import seq_of

    _, box, address = opened_for(name, space)
    left = box.mark_read(address, person, seq_of(last) if last else 0)
    return done(as_json, f"marked; {left} unread.", group=address, person=person, unread_left=left)


@command("close", example="rt group close ideas")
@_name
@space_option
def close(name: str, space: str | None, as_json: bool) -> int:
    """Make a group read-only; a table's own group is closed with its table."""
    _, box, address = opened_for(name, space)
    was_open = box.close_group(address)
    text = f"{address} {'is' if was_open else 'was already'} closed; it can still be read."
    return done(as_json, text, group=address, state="closed", duplicate=not was_open)


@command("delete", example="rt group delete ideas --yes")
@_name
@click.option("--yes", is_flag=True, help="Do not ask.")
@space_option
def delete(name: str, yes: bool, space: str | None, as_json: bool) -> int:
    """Delete a group with its record, for good; a table's own group is never deleted here."""
    from rt_config.errors import ConfirmationNeededError

    shell, box, address = opened_for(name, space)
    head = box.head(address)
    if not (yes or as_json):
        if not terminal():
            raise ConfirmationNeededError(what="rt group delete")
        click.confirm(f"Delete {address} with its {head} messages for good?", abort=True)
    count = box.delete_group(address, head=head, home=shell.space)
    return done(as_json, f"{address} is deleted, with {count} messages.", group=address, messages=count)


for _one in (
    create, add_member, remove_member, members, add_subscriber, remove_subscriber, subscribers, send, mark_read, close, delete,
    *group_reading.COMMANDS,
):  # fmt: skip
    group.add_command(_one)

"""mail: personal addresses by hand. Each command is the twin of a method of `rt_mailbox.mailbox.Mailbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli import mail_settling
from rt_moderator.cli.base import body_options, command, emit, emit_json
from rt_moderator.cli.boxes import body, done, opened, space_option

if TYPE_CHECKING:
    from rt_mailbox.messages import Mail, Queued, StoredMail

NOTHING_IN_TIME = 3
_addresses = click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS…")
_some_addresses = click.argument("addresses", nargs=-1, metavar="[ADDRESS…]")
_holder = click.option(
    "--holder", default="", metavar="NAME", help="Who holds it: gets its own open leases back, same token."
)
_key = click.option(
    "--key", default="", metavar="KEY", help="Idempotency key: the same key never sends twice."
)
_limit = click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
_cursor = click.option(
    "--cursor", default="", metavar="CURSOR", help="The next page: what the last one gave."
)


@click.group(
    "mail",
    epilog="\b\nExample:\n  rt mail send agent-deck/notes --from ann -m 'done'\n  rt mail recv agent-deck/notes",
)
def mail() -> None:
    """Personal mail: queues with leases, one per address."""


@mail.group("dead", epilog="\b\nExample:\n  rt mail dead list")
def dead() -> None:
    """Dead letters: what failed three times."""


def _queued(found: Queued, address: str, as_json: bool) -> int:
    note = " before, with this key" if found.duplicate else ""
    new = "\n  nobody has used this address before" if found.new_address else ""
    fields = {
        "id": found.id,
        "address": address,
        "new_address": found.new_address,
        "duplicate": found.duplicate,
    }
    return done(as_json, f"{found.id} queued{note}.{new}", **fields)


@command("send", example="rt mail send agent-deck/notes --from ann --file - < report.md")
@click.argument("address")
@click.option(
    "--from", "sender", required=True, metavar="NAME", help="An address or a person, as it is recorded."
)
@body_options
@click.option("--subject", default="", help="One line.")
@click.option("--must-exist", is_flag=True, help="Refuse an address that nobody has used.")
@_key
@space_option
def send(
    address: str, text: str | None, file: str | None, space: str | None, as_json: bool, **how: Any
) -> int:
    """Queue one message for an address; says when nobody has used that address before."""
    said = body(text, file)
    shell, box = opened(space)
    shell.guard_disk()
    return _queued(box.send_mail(address, how.pop("sender"), said, **how), address, as_json)


@command("recv", example="rt mail recv agent-deck/notes --max 10 --holder me")
@_addresses
@click.option(
    "--max", "most", type=click.IntRange(1, 10), default=1, show_default=True, help="At most so many."
)
@_holder
@click.option(
    "--hold", type=click.FloatRange(0.001), default=None, metavar="SECONDS", help="How long the lease lasts."
)
@space_option
def recv(addresses: tuple[str, ...], most: int, space: str | None, as_json: bool, **how: Any) -> int:
    """Lease what is due, oldest first; never blocks. Settle it with ack, release, defer or fail."""
    shell, box = opened(space)
    seconds = how["hold"] or shell.settings.lease_seconds
    found = box.recv(addresses, max_messages=most, holder=how["holder"], lease_seconds=seconds)
    try:
        if as_json:
            emit_json({"messages": [_mail_json(one) for one in found]})
        else:
            emit("\n".join(map(_mail_text, found)) if found else "nothing is due.")
    except OSError:
        for one in found:  # nobody has seen it
            box.release(one.id, one.lease)
        raise
    return 0


def _mail_json(one: Mail) -> dict[str, Any]:
    from rt_mailbox.wire import iso

    found = one._asdict()
    found["from"] = found.pop("sender")
    return found | {"sent_at": iso(one.sent_at)}


def _mail_text(one: Mail) -> str:
    from rt_participant.show import line, plain

    times = f" · delivery {one.deliveries}" if one.deliveries > 1 else ""
    head = f"{plain(one.id)} · from {line(one.sender)} · to {line(one.address)}{times}"
    subject = f"\n{line(one.subject)}" if one.subject else ""
    foot = f"  rt mail ack {plain(one.id)} --lease {one.lease}"
    return f"{head}{subject}\n\n{plain(one.body).rstrip()}\n\n{foot}\n"


@command("wait", example="rt mail wait agent-deck/notes --timeout 60 && rt mail recv agent-deck/notes")
@_addresses
@click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=None,
    metavar="SECONDS",
    help="Give up after this long (exit 3).",
)
@_holder
@space_option
def wait(
    addresses: tuple[str, ...], timeout: float | None, holder: str, space: str | None, as_json: bool
) -> int:
    """Block until recv would give something, a notice of a group too."""
    _, box = opened(space)
    ready = box.wait_mail(addresses, 1e9 if timeout is None else timeout, holder=holder)
    done(
        as_json,
        f"ready: rt mail recv {' '.join(addresses)}" if ready else "nothing came in time.",
        ready=ready,
    )
    return 0 if ready else NOTHING_IN_TIME


@command("list", example="rt mail list --state leased")
@_some_addresses
@click.option(
    "--state", type=click.Choice(["queued", "leased", "acked", "dead"]), default="queued", show_default=True
)
@_limit
@_cursor
@space_option
def list_mail(addresses: tuple[str, ...], state: str, space: str | None, as_json: bool, **page: Any) -> int:
    """List mail by state, at some addresses or all; changes nothing."""
    _, box = opened(space)
    return _listed(*box.list_mail(addresses, state=state, **page), as_json)


@command("list", example="rt mail dead list")
@_some_addresses
@_limit
@_cursor
@space_option
def list_dead(addresses: tuple[str, ...], space: str | None, as_json: bool, **page: Any) -> int:
    """List dead letters."""
    _, box = opened(space)
    return _listed(*box.dead_mail(addresses, **page), as_json)


def _listed(found: list[StoredMail], after: str, as_json: bool) -> int:
    from rt_moderator.words import grid
    from rt_participant.show import line

    if as_json:
        emit_json(
            {"messages": [_stored_json(one, with_body=False) for one in found], "next_cursor": after or None}
        )
        return 0
    rows = [(one.id, one.address, f"from {one.sender}", one.subject, one.reason) for one in found]
    lines = grid([tuple(map(line, row)) for row in rows], indent="")
    emit("\n".join(lines + ([f"more: --cursor {after}"] if after else [])) if rows else "none.")
    return 0


def _stored_json(one: StoredMail, *, with_body: bool) -> dict[str, Any]:
    from rt_mailbox.wire import iso

    found = one._asdict()
    found["from"] = found.pop("sender")
    times = {name: iso(found[name]) if found[name] else None for name in ("sent_at", "due", "settled_at")}
    if not with_body:
        del found["body"]
    return found | times


def _read(ids: tuple[str, ...], space: str | None, as_json: bool) -> int:
    from rt_participant.show import line, plain

    _, box = opened(space)
    found = [box.read_mail(mail_id) for mail_id in ids]
    if as_json:
        emit_json({"messages": [_stored_json(one, with_body=True) for one in found]})
        return 0
    emit(
        "\n".join(
            f"{one.id} · {one.state} · from {line(one.sender)} · to {line(one.address)} · deliveries {one.deliveries}\n"
            + "".join(f"{line(text)}\n" for text in (one.subject, one.reason) if text)
            + f"\n{plain(one.body).rstrip()}\n"
            for one in found
        )
    )
    return 0


@command("read", example="rt mail read d00000007")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@space_option
def read(ids: tuple[str, ...], space: str | None, as_json: bool) -> int:
    """Show messages whole, whoever has them; changes nothing."""
    return _read(ids, space, as_json)


@command("show", example="rt mail dead show d00000007")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@space_option
def show_dead(ids: tuple[str, ...], space: str | None, as_json: bool) -> int:
    """Show dead letters whole, with why they failed last."""
    return _read(ids, space, as_json)


@command("requeue", example="rt mail dead requeue d00000007")
@click.argument("mail_id", metavar="ID")
@space_option
def requeue(mail_id: str, space: str | None, as_json: bool) -> int:
    """Give a dead letter another try, its failures forgotten."""
    opened(space)[1].requeue(mail_id)
    return done(as_json, f"{mail_id} is queued again.", id=mail_id, state="queued")


@command("forward", example="rt mail forward d00000007 agent-deck/notes --from ann")
@click.argument("mail_id", metavar="ID")
@click.argument("address")
@click.option("--from", "sender", required=True, metavar="NAME", help="Who forwards it.")
@click.option("--subject", default="", help="Default: Fwd: and the old one.")
@_key
@space_option
def forward(mail_id: str, address: str, sender: str, space: str | None, as_json: bool, **how: Any) -> int:
    """Send a message's body on to another address; it stays where it is."""
    shell, box = opened(space)
    shell.guard_disk()
    return _queued(box.forward(mail_id, address, sender, **how), address, as_json)


for _one in (send, recv, wait, list_mail, read, forward):
    mail.add_command(_one)
for _one in (list_dead, show_dead, requeue):
    dead.add_command(_one)
for _one in mail_settling.COMMANDS:
    mail.add_command(_one)

"""Changing who sits at a table while it runs."""

from __future__ import annotations

from typing import Any

from rt_config.errors import SessionGoneError, UnknownSeatError
from rt_deck.sessions import Deck
from rt_mailbox import tables
from rt_mailbox.addresses import group_of
from rt_moderator import asking, plan, roster, saying, seating
from rt_moderator.shell import Shell
from rt_participant.show import plain


def add(shell: Shell, table: str, spec: str, role: str, viewpoint: str, cwd: str) -> dict[str, Any]:
    """Seat one more participant and give it a session.

    Raises:
        SeatExistsError, UnknownProfileError, CliMissingError, WorkdirMissingError, BadSlugError: nothing was changed.
    """
    snapshot = saying.writable(shell, table)
    planned = plan.with_texts(
        roster.from_options([spec]),
        {spec.partition("=")[0]: role} if role else {},
        {spec.partition("=")[0]: viewpoint} if viewpoint else {},
    )
    seat = roster.completed(plan.checked(planned), shell.settings)[0]
    about = snapshot["table"]
    fields = roster.seat_fields(
        table,
        seat,
        shell.settings,
        cwd=cwd or about["cwd"],
        access=about["access"],
    )
    fields["token_sha"] = seating.token(table, seat.slug, shell.url)
    fields |= {"native_ready": "0", "shown": ""}
    tables.add_seat(shell.door, table, group_of(table), fields)
    seating.ensure(shell.door, Deck(), shell.snapshot(table), shell.url, [seat.slug])
    return {
        "table": table,
        "seat": seat.slug,
        "person": fields["person"],
        "session": fields["session"],
        "state": "starting",
    }


def restart(shell: Shell, table: str, slug: str) -> dict[str, Any]:
    """A new session with the context rebuilt from the record; by hand, so no strike. An open turn goes on in it.

    Raises:
        UnknownSeatError.
    """
    snapshot = saying.writable(shell, table)
    seat = asking.live_seats(snapshot, [slug])[0]
    deck = Deck()
    fields = {"native_ready": "0", "failures": "0", "reason": ""}
    tables.set_seat(shell.door, table, slug, fields, event="restarted")
    deck.remove(seat["tmux"])
    seating.ensure(shell.door, deck, snapshot, shell.url, [slug])
    return {"table": table, "seat": slug, "session": seat["session"]}


def drop(shell: Shell, table: str, slug: str) -> dict[str, Any]:
    """Take a seat off the table by hand; safe to repeat.

    Raises:
        UnknownSeatError.
    """
    seat = _any_seat(shell, table, slug)
    dropped = tables.drop_seat(shell.door, table, slug, "dropped by hand", f"[ERROR: dropped by hand] {slug}")
    Deck().remove(seat["tmux"])
    return {"table": table, "seat": slug, "dropped": dropped}


def log(shell: Shell, table: str, slug: str, lines: int) -> str:
    """The last lines of a seat's screen, without control characters.

    Raises:
        UnknownSeatError, SessionGoneError.
    """
    seat = _any_seat(shell, table, slug)
    deck = Deck()
    if deck.resolve(seat["tmux"]) is None:
        raise SessionGoneError(session=seat["tmux"])
    return plain(deck.capture(seat["tmux"], lines))


def _any_seat(shell: Shell, table: str, slug: str) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {seat["slug"]: seat for seat in shell.snapshot(table)["seats"]}
    if slug not in found:
        raise UnknownSeatError(table=table, seat=slug, known=", ".join(found))
    return found[slug]

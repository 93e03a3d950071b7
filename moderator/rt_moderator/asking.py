"""Putting a step to seats: the intent message, one control message each, all in one script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rt_config.errors import NoSeatsError, UnknownSeatError
from rt_mailbox import tables
from rt_participant import control

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply


def live_seats(snapshot: Reply, wanted: Sequence[str] = ()) -> list[Reply]:
    """The seats to ask: those wanted, in that order, else every one that was not dropped.

    Raises:
        UnknownSeatError: a wanted slug is not at this table, or was dropped.
        NoSeatsError: nobody is left.
    """
    live = {seat["slug"]: seat for seat in snapshot["seats"] if seat["state"] != "dropped"}
    for slug in wanted:
        if slug not in live:
            raise UnknownSeatError(table=snapshot["table"]["id"], seat=slug, known=", ".join(live) or "none")
    chosen = [live[slug] for slug in (dict.fromkeys(wanted) if wanted else live)]
    if not chosen:
        raise NoSeatsError(table=snapshot["table"]["id"])
    return chosen


def ask(  # noqa: PLR0913 (three of them are options of the step)
    door: Door,
    snapshot: Reply,
    text: str,
    seats: Sequence[Reply],
    *,
    person: str = "moderator",
    key: str = "",
    epoch: str = "",
) -> Reply:
    """Open one step of format `open`: {seq, step, turns, duplicate}. The same key never asks twice.

    Raises:
        EmptyBodyError, BodyTooLargeError, GroupClosedError, StaleHostError, BusFullError: nothing was stored.
    """
    from rt_mailbox.groups import check_body

    check_body(text)
    table = snapshot["table"]
    asked = [(seat["slug"], text, *control_of(table, seat, text)) for seat in seats]
    timeout_ms = int(float(table.get("turn_timeout") or 600) * 1000)
    return tables.ask(
        door,
        table["id"],
        table["group"],
        text,
        asked,
        person=person,
        key=key,
        timeout_ms=timeout_ms,
        epoch=epoch,
    )


def control_of(table: Reply, seat: Reply, text: str, round_: int | None = None) -> tuple[str, str]:
    """Subject and body of the control mail that puts `text` to a seat. Pure."""
    message = control.ControlMessage(
        task=table["id"],
        round=int(table["round"]) if round_ is None else round_,
        group=table["group"],
        person=seat["person"],
        role=", ".join(filter(None, (seat.get("role"), seat.get("viewpoint")))),
        profile=seat.get("profile", ""),
        command=seat.get("command", ""),
        request=text,
        to=f"participant {seat['tmux']}",
    )
    return message.subject, message.render()

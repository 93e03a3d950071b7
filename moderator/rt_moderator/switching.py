"""Putting a seat on another agent while its table runs: by hand, so no strike, and said for good."""

from __future__ import annotations

import secrets
import shlex
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadConfigError
from rt_deck.sessions import Deck
from rt_mailbox import tables, turns
from rt_moderator import asking, checking, plan, roster, saying, seating
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

# What is known of the agent that sat there: its session, its screen, its failures.
_FORGOTTEN = (
    "native_session",
    "native_turn",
    "effective_model",
    "reason",
    "bell",
    "seen_mark",
    "retire_at",
    "launched",
)
_CHANGED = ("profile", "model", "effort", "transport", "spec", "requested_model", "command")


def switch(shell: Shell, table: str, given: str, *, cwd: str = "", check: bool = False) -> dict[str, Any]:
    """Give the seat another profile, model, effort or transport, and a new session; its role and person stay.

    Its open turn goes on as the next attempt within the same deadline, the context rebuilt from the record: at most one
    answer comes of it. The table is degraded from now on, with both names. Killed half way, the old runner goes and the
    host gives the seat its new session.

    Args:
        shell: the bus.
        table: its id.
        given: SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT] or SLUG=!argv.
        cwd: where it works from now on; its folder when empty.
        check: ask the new CLI for one word first.

    Raises:
        UnknownSeatError, BadConfigError, UnknownProfileError, CliMissingError, WorkdirMissingError, ChecksFailedError:
            nothing was changed.
    """
    snapshot = saying.writable(shell, table)
    (asked,) = roster.completed(plan.checked(roster.from_options([given])), shell.settings)
    seat = asking.live_seats(snapshot, [asked.slug])[0]
    folder, access = cwd or seat["workdir"], snapshot["table"]["access"]
    fields = roster.seat_fields(table, asked, shell.settings, cwd=folder, access=access)
    if all(fields[name] == seat.get(name, "") for name in ("spec", "requested_model", "command")):
        raise BadConfigError(
            where=given, reason="that is what it runs on; rt seat restart gives it a new session"
        )
    if check:
        checking.checked([asked], shell.settings, cwd=folder, access=access, say=shell.say)
    told = _told(shell, snapshot, seat, asked)
    changed = {name: fields[name] for name in _CHANGED} | {
        "workdir": folder, "switched": told, "switch_fix": f"rt seat switch {shlex.quote(f'{asked.slug}={name_of(_planned(seat))}')}",
        **dict.fromkeys(_FORGOTTEN, ""), "native_ready": "0", "native_upto": "0", "failures": "0", "state": "starting",
        "generation": secrets.token_hex(4),
    }  # fmt: skip
    tables.set_seat(shell.door, table, asked.slug, changed)
    event = {"seat": asked.slug, "from": name_of(_planned(seat)), "to": name_of(asked), "reason": "by hand"}
    tables.note(shell.door, table, "switched", event | {"transport": fields["transport"]})
    _reseated(shell, table, asked.slug)
    return {
        "table": table, "seat": asked.slug, "profile": asked.profile, "model": asked.model,
        "transport": fields["transport"], "session": seat["session"], "degraded": told,
    }  # fmt: skip


def name_of(seat: SeatPlan) -> str:
    """A seat's agent as it is written after SLUG=."""
    if seat.command:
        return "!" + " ".join(seat.command)
    name = ":".join(filter(None, (seat.profile, seat.model, seat.effort)))
    return f"{name}@{seat.transport}" if seat.transport else name


def _reseated(shell: Shell, table: str, slug: str) -> None:
    """A session that was started with what the new agent needs; the attempt that ran is over, the next one waits in it."""
    snapshot = shell.snapshot(table)
    seat = next(one for one in snapshot["seats"] if one["slug"] == slug)
    deck = Deck()
    deck.remove(seat["tmux"])
    for turn in snapshot["turns"]:
        running = turn.get("leased") == turn["attempt"]
        if turn["seat"] == slug and turn["state"] == "open" and running:
            turns.next_attempt(shell.door, table, turn["id"], turn["attempt"], "switched by hand")
    if not seating.ensure(shell.door, deck, snapshot, shell.url, [slug]):
        deck.remove(seat["tmux"])  # the host made it meanwhile, perhaps from what it knew before
        seating.ensure(shell.door, deck, snapshot, shell.url, [slug])


def _told(shell: Shell, snapshot: Reply, seat: Reply, asked: SeatPlan) -> str:
    others = [_planned(one) for one in snapshot["seats"] if one["state"] != "dropped"]
    before = _planned(seat)
    note = checking.family_note(before, asked, others, roster.families(shell.settings))
    if before.profile == asked.profile and before.model == asked.model:
        note = ""  # the same agent in another way
    return f"switched by hand from {name_of(before)} to {name_of(asked)}{note}"


def _planned(seat: Reply) -> SeatPlan:
    command = tuple(seat.get("command", "").split(" ")) if seat["profile"] == "command" else ()
    return SeatPlan(
        slug=seat["slug"], profile=seat["profile"], model=seat.get("model", ""), effort=seat.get("effort", ""),
        transport=seat.get("transport", ""), command=command,
    )  # fmt: skip

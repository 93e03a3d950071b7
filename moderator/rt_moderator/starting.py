"""Laying a table: claim an id, write the table, ask, seat. Killed at any instruction, the same start completes it."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rt_mailbox import directory, groups, subscribers, tables
from rt_mailbox.addresses import group_of
from rt_moderator import asking, naming, roster, seating

if TYPE_CHECKING:
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Reply
    from rt_moderator.plan import SeatPlan
    from rt_moderator.shell import Shell

_DUPLICATE_SECONDS = 86_400
_FORGETFUL = ("interpret",)  # formats whose every round is a fresh session, with all it needs in the request


@dataclass(frozen=True, slots=True)
class Request:
    """What `rt start` was asked for."""

    topic: str
    seats: Sequence[SeatPlan]
    fields: dict[str, str] = field(default_factory=dict)  # goal, audience, constraint, stop_when, wake …
    context: str = ""
    cwd: str = "."
    access: str = "read-only"
    format: str = "open"
    mode: str = ""
    group_path: str = ""
    changes: Sequence[Mapping[str, str]] = ()  # {kind, seat, why, action}: what a check left out or replaced
    options: str = ""  # of the format, JSON (engine.options.Options)

    @property
    def free(self) -> bool:
        """Whether the moderator asks (format open), and not a procedure."""
        return self.format == "open"


@dataclass(frozen=True, slots=True)
class Started:
    """A table that exists: new, completed, or (duplicate) reused."""

    table: str
    duplicate: bool
    completed: bool = False
    starter: Mapping[str, str] = field(
        default_factory=dict
    )  # the process that is at it, of one that is not completed


def find(shell: Shell, request: Request) -> Started | None:
    """An open table of the same topic, mode and format from the last 24 h (S0.9): an unfinished one to complete, or one to reuse."""
    key = naming.topic_key(request.topic)
    for table, entry in reversed(directory.entries(shell.door, shell.space).items()):
        same = (entry.get("topic_key"), entry.get("mode"), entry.get("format")) == (
            key,
            request.mode,
            request.format,
        )
        if (
            not same
            or entry.get("state") not in directory.OPEN
            or time.time() - entry["created_at"] > _DUPLICATE_SECONDS
        ):
            continue
        found = tables.snapshot(shell.door, table, 1)
        if found is None or "starting" in (found["table"]["state"], entry["state"]):
            return Started(table, duplicate=False, completed=True, starter=entry.get("starter") or {})
        if found["table"]["state"] == "open":
            return Started(table, duplicate=True)
    return None


def claim(shell: Shell, request: Request, seen: str = "") -> str:
    """A new table id, entered in the directory before anything else exists, so that an unfinished start can be found.

    '' when another table was entered since `seen` (of `directory.claims`): look again whether it is this one.

    Raises:
        WorkdirMissingError, BadConfigError, DiskFullError: it could not be laid; nothing was written.
    """
    from rt_moderator import hosting

    _seats(shell, "rt", request)
    shell.guard_disk()
    entry = {
        "topic": request.topic, "topic_key": naming.topic_key(request.topic), "mode": request.mode, "format": request.format,
        "state": "starting", "created_at": time.time(), "starter": hosting.me(),
    }  # fmt: skip
    taken = 0
    while True:
        table = naming.table_id(request.topic, time.time(), taken)
        claimed = directory.claim(shell.door, shell.space, table, entry, seen)
        if claimed is None:
            return ""
        if claimed:
            return table
        taken += 1


def lay(shell: Shell, table: str, request: Request) -> Reply:
    """Write the table and put the opening question to all seats; both at most once, however often this runs.

    Raises:
        WorkdirMissingError, BadConfigError: before anything was written.
    """
    path = naming.deck_group(table, request.group_path)
    seats = _seats(shell, table, request)
    shell.guard_disk()
    if tables.snapshot(shell.door, table, 1) is None:
        for seat in seats:
            if request.format in _FORGETFUL:
                seat["fresh"] = "1"
            seat["token_sha"] = seating.token(table, seat["slug"], shell.url)
        fields = {
            "id": table, "topic": request.topic, "topic_norm": naming.topic_key(request.topic), "format": request.format,
            "mode": request.mode, "view": "raw" if request.free else "own", "options": request.options, "cwd": request.cwd, "access": request.access, "machine": platform.node(),
            "deck_group": path, "opening": opening(request), **request.fields, **_degraded(request),
        }  # fmt: skip
        persons = [
            "moderator",
            "user",
            *(() if request.free else ("synthesizer",)),
            *(seat["person"] for seat in seats),
        ]
        if tables.create(shell.door, table, group_of(table), fields, persons, seats):
            for change in request.changes:
                told = {"seat": change["seat"], "reason": change["why"], "action": change["action"]}
                tables.note(shell.door, table, change["kind"], told)
    return opened(shell, table)


def _seats(shell: Shell, table: str, request: Request) -> list[dict[str, str]]:
    return [
        roster.seat_fields(table, seat, shell.settings, cwd=request.cwd, access=request.access)
        for seat in request.seats
    ]


def _degraded(request: Request) -> dict[str, str]:
    told = [{name: change[name] for name in ("seat", "why", "action")} for change in request.changes]
    return {"degraded": json.dumps(told)} if told else {}


def opened(shell: Shell, table: str) -> Reply:
    """The snapshot of a table whose opening question was put; an unfinished start is completed here."""
    snapshot = shell.snapshot(table)
    about = snapshot["table"]
    if about["state"] != "starting":
        return snapshot
    # S4.12: whoever asks this address for mail hears of replies, with no terminal and no host (rt mail wait ADDRESS).
    notify = naming.notify_address(table)
    subscribers.add(shell.door, table, about["group"], notify, "moderator", home=shell.space)
    if about["format"] == "open":
        asking.ask(shell.door, snapshot, about["opening"], asking.live_seats(snapshot), key="opening")
    else:  # its host asks
        tables.set_table(
            shell.door, table, {"state": "open", "phase": "debating", "round": "0"}, event="opened"
        )
    return shell.snapshot(table)


def seat_all(shell: Shell, deck: Deck, snapshot: Reply) -> None:
    """Give host and seats their sessions, all at once, and mark the table open in the directory.

    Raises:
        DeckError, CliMissingError.
    """
    from rt_moderator import hosting

    table = snapshot["table"]["id"]
    seating.ensure(shell.door, deck, snapshot, shell.url, with_host=hosting.needed(snapshot))
    mark(shell, table, "open")


def mark(shell: Shell, table: str, state: str) -> None:
    """Write a table's state into the directory."""
    entry = directory.entries(shell.door, shell.space).get(table, {})
    entry.pop("starter", None)
    directory.write(shell.door, shell.space, table, entry | {"state": state})


def reuse(shell: Shell, table: str) -> None:
    """Leave a note in the record of a table that was started again."""
    text = "The same topic was started again; this table goes on."
    groups.send(shell.door, table, group_of(table), "moderator", text, key=f"reused-{int(time.time() // 60)}")


def opening(request: Request) -> str:
    """The opening message: the topic, then what bounds the discussion, then material."""
    lines = [request.topic.strip(), ""]
    for name, label in (
        ("goal", "Goal"),
        ("audience", "Audience"),
        ("constraint", "Constraint"),
        ("stop_when", "Stop when"),
    ):
        if request.fields.get(name):
            lines.append(f"{label}: {request.fields[name]}")
    if request.context:
        lines += ["", "Material:", "", request.context.strip()]
    return "\n".join(lines).strip()


def ready(snapshot: Reply) -> dict[str, str]:
    """Slug → 'ready' when the seat has leased its first turn (or answered it), else its state and reason. Pure."""
    leased = {t["seat"] for t in snapshot["turns"] if t.get("leased_at") or t["state"] != "open"}
    return {
        seat["slug"]: "ready" if seat["slug"] in leased else seat.get("reason") or seat["state"]
        for seat in snapshot["seats"]
    }


def plan_json(request: Request, shared: dict[str, str]) -> list[dict[str, object]]:
    """The plan as JSON, for --dry-run."""
    return [
        {
            "slug": seat.slug, "name": seat.name, "role": seat.role, "viewpoint": seat.viewpoint, "profile": seat.profile,
            "model": seat.model, "effort": seat.effort, "transport": seat.transport, "command": list(seat.command),
            "same_family_as": shared.get(seat.slug),
        }
        for seat in request.seats
    ]  # fmt: skip


def started_json(snapshot: Reply, *, duplicate: bool) -> dict[str, object]:
    """{table, group, format, duplicate, seats, degraded, attach}."""
    from rt_moderator.status_view import degraded

    state = ready(snapshot)
    seats = [
        {
            "slug": seat["slug"], "person": seat["person"], "role": seat.get("role", ""), "profile": seat["profile"],
            "transport": seat["transport"], "session": seat["session"], "state": seat["state"],
            "reason": "" if state[seat["slug"]] == "ready" else seat.get("reason", ""),
        }
        for seat in snapshot["seats"]
    ]  # fmt: skip
    table = snapshot["table"]
    return {
        "table": table["id"], "group": table["group"], "format": table["format"], "duplicate": duplicate, "seats": seats,
        "degraded": degraded(snapshot), "attach": f"rt attach -t {table['id']}",
    }  # fmt: skip

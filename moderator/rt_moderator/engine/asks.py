"""Carrying out a step: opened once, awaited until every turn is closed, read once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rt_mailbox import records, tables, turns
from rt_mailbox.door import mapping
from rt_mailbox.keys import key
from rt_moderator import asking
from rt_moderator.decide import STRIKES
from rt_moderator.engine import prompts
from rt_moderator.engine.desk import PENDING
from rt_moderator.engine.model import Answer, Failure, Step

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.engine.commands import Ask, Retry
    from rt_moderator.engine.desk import Desk

_STEERING = ("moderator", "user")


@dataclass(frozen=True, slots=True)
class Notes:
    """What people said that no step has carried yet, up to a seq."""

    text: str
    upto: int


def ask(desk: Desk, command: Ask) -> Any:
    """The step, once all its turns are closed; opens it when it is not open yet."""
    begun = desk.begun(command)
    if begun is None:
        live = [slug for slug in command.seats if _seat(desk, slug).get("state", "dropped") != "dropped"]
        begun = desk.begin(
            command, "step", seats=live, round=command.round, labels={k: dict(v) for k, v in command.labels.items()}
        )  # fmt: skip
    found = desk.line(f"{command.name}.done")
    if found is None:
        states = _turns(desk, command.name, begun["seats"])
        if any(not turn for turn in states.values()):
            _open(desk, command, begun["seats"])
            return PENDING
        again = _out_of_time(desk, states.values()) if command.again else []
        if any(turn["state"] == "open" for turn in states.values()) or _reopened(desk, again, "asked again"):
            return PENDING
        found = desk.put(f"{command.name}.done", _closed(desk, command.name, states))
    return _step(desk, command.name, found)


def retry(desk: Desk, command: Retry) -> Any:
    """The step again, after its failed turns were opened once more."""
    begun = desk.begun(command)
    seats = desk.line(command.step)["seats"]
    if begun is None:
        begun = desk.begin(command, "step", step=command.step)
    if (found := desk.line(f"{command.name}.done")) is None:
        states = _turns(desk, command.step, seats)
        if desk.line(f"{command.name}.open") is None:
            _reopened(desk, [turn for turn in states.values() if turn.get("state") == "failed"], "retried")
            desk.put(f"{command.name}.open", True)
            states = _turns(desk, command.step, seats)
        if any(turn["state"] == "open" for turn in states.values()):
            return PENDING
        found = desk.put(f"{command.name}.done", _closed(desk, command.step, states))
    return _step(desk, command.step, found)


def _seat(desk: Desk, slug: str) -> Reply:
    return next((seat for seat in desk.snapshot["seats"] if seat["slug"] == slug), {})


def _turns(desk: Desk, step: str, seats: Iterable[str]) -> dict[str, Reply]:
    """Slug → the turn's hash, empty when it was not opened yet."""
    return {
        slug: mapping(desk.door.command("HGETALL", key(desk.table, "turn", f"{step}/{slug}")))
        for slug in seats
    }


def _open(desk: Desk, command: Ask, seats: Sequence[str]) -> None:
    notes = _notes(desk, command.intent) if command.notes else Notes("", 0)
    requests = {slug: command.request(slug) + notes.text for slug in seats}
    asked = []
    for slug in seats:
        control = asking.control_of(desk.about, _seat(desk, slug), requests[slug], command.round)
        asked.append((slug, requests[slug], *control))
    timeout = command.timeout or float(desk.about.get("turn_timeout") or 600)
    tables.ask(
        desk.door, desk.table, desk.group, command.intent or next(iter(requests.values())), asked,
        subject=f"roundtable: {desk.table} {command.name}", step=command.name, timeout_ms=int(timeout * 1000),
        noted=str(notes.upto) if notes.upto else "", round="" if command.round is None else str(command.round),
        epoch=desk.fence(),
    )  # fmt: skip
    desk.say(f"asked {command.name}: {', '.join(seats)}")


def _notes(desk: Desk, intent: str) -> Notes:
    """What the moderator and the user said since the last step that carried notes; nothing is ever left between two steps.

    What became the question itself (a steer of `table`) is in the requests already.
    """
    head = int(desk.door.command("HGET", key(desk.table, "group", desk.group), "head") or 0)
    noted = int(desk.door.command("HGET", key(desk.table, "table"), "noted") or 0)
    said = [
        {"label": f"m{message['seq']} from {message['from']}", "body": message["body"]}
        for message in records.messages(desk.door, desk.table, desk.group, [(noted + 1, head)])
        if message["kind"] == "note"
        and message["from"] in _STEERING
        and message["body"].strip() != intent.strip()
    ]
    return Notes("\n" + prompts.render("notes", notes=said) if said else "", head)


def _out_of_time(desk: Desk, found: Iterable[Reply]) -> list[Reply]:
    """The turns to ask again: their time was over and their seat has strikes left."""
    late = [turn for turn in found if turn["state"] == "failed" and turn.get("reason") == "timeout"]
    return [turn for turn in late if _strikes(desk, turn["seat"]) < STRIKES]


def _strikes(desk: Desk, slug: str) -> int:
    state, failures = desk.door.command("HMGET", key(desk.table, "seat", slug), "state", "failures")
    return STRIKES if state == "dropped" else int(failures or 0)


def _reopened(desk: Desk, closed: Iterable[Reply], why: str) -> bool:
    """Whether some of the turns are open again now."""
    opened = False
    for turn in closed:
        control = asking.control_of(
            desk.about, _seat(desk, turn["seat"]), turn["request"], int(turn["round"])
        )
        opened |= turns.reopen(desk.door, desk.table, turn["id"], why, *control, epoch=desk.fence())
    return opened


def _closed(desk: Desk, step: str, states: dict[str, Reply]) -> dict[str, Any]:
    """How the step ended, as the journal keeps it: what a later retry or a late reply changes no more."""
    if not states:
        return {"seq": 0, "round": 0, "seconds": 0.0, "turns": {}}
    first = next(iter(states.values()))
    ended = {
        slug: {
            "state": turn["state"],
            "seq": int(turn.get("reply_seq") or 0),
            "reason": turn.get("reason", ""),
            "seconds": _seconds(turn),
        }
        for slug, turn in states.items()
    }
    seconds = max(one["seconds"] for one in ended.values())
    return {"seq": int(first["upto"]), "round": int(first["round"]), "seconds": seconds, "turns": ended}


def _seconds(turn: Reply) -> float:
    """How long a turn was its seat's current one, without the time in which nobody was awake."""
    if "started_at" not in turn or "closed_at" not in turn:
        return 0.0
    awake = int(turn["closed_at"]) - int(turn["started_at"]) - int(turn.get("idle_ms") or 0)
    return max(0, awake) / 1000


def _step(desk: Desk, name: str, found: dict[str, Any]) -> Step:
    answers, failures = [], []
    for slug, turn in found["turns"].items():
        if turn["state"] == "answered":
            said = records.one(desk.door, desk.table, desk.group, turn["seq"])
            answers.append(Answer(slug, turn["seq"], said["body"] if said else "", turn["seconds"]))
        else:
            failures.append(Failure(slug, turn["state"], turn["reason"]))
    return Step(name, found["seq"], found["round"], tuple(answers), tuple(failures), found["seconds"])

"""Above the record: what is wrong first, then which table this is; beside it: seats and what the table is for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.segment import Segment

from rt_moderator.watching import seat_lines
from rt_moderator.watching.model import State
from rt_moderator.watching.styles import BAD, BOLD, DIM, Line, between, fitted, segment, width, wrapped
from rt_participant.show import line


def head(state: State, status: Mapping[str, Any], room: int, most: int) -> list[Line]:
    """What is wrong, at most `most` lines of it, the topic, and how the table stands."""
    return [*_wrong(state, status, room, most), _title(state, room), _standing(status, room)]


def _wrong(state: State, status: Mapping[str, Any], room: int, most: int) -> list[Line]:
    told = [_one("DEGRADED", *_degraded(one), room) for one in status["degraded"]]
    told += [_one("WARNING", line(text), "", room) for text in status["warnings"]]
    if state.bus:
        told.insert(0, _one("LOST", line(state.bus), "", room))
    lines: list[Line] = []
    for at, one in enumerate(told):
        rest = len(told) - at - 1
        if len(lines) + len(one) + bool(rest) > most:
            more = f" and {rest + 1} more: rt status" if at else f" {rest + 1} things are wrong: rt status"
            return [*lines, fitted([segment(more, BAD)], room)]
        lines += one
    return lines


def _one(word: str, why: str, fix: str, room: int) -> list[Line]:
    """In one line when it fits, else with what to do in a second one."""
    head = [segment(f" {word} ", BAD), Segment(why)]
    if not fix:
        return [fitted(head, room)]
    both = [*head, Segment(f"  → {fix}")]
    if width(both) <= room:
        return [fitted(both, room)]
    return [fitted(head, room), fitted([segment(f" {' ' * len(word)} → {fix}")], room)]


def _degraded(entry: Mapping[str, str]) -> tuple[str, str]:
    return f"{line(entry['seat'], 40)} {line(entry['why'])}", line(entry.get("action") or "")


def _title(state: State, room: int) -> Line:
    unread = int(state.snapshot["unread"])
    topic = line(state.about.get("topic", ""), 400) or line(state.about["id"])
    return between([segment(f" {topic}", BOLD)], [Segment(f"{unread} unread ", BOLD)] if unread else [], room)


def _standing(status: Mapping[str, Any], room: int) -> Line:
    words = [f"round {status['round']}"]
    if status["format"] != "open":
        words.append(line(f"{status['format']} {status['mode'] or ''}", 60))
    parts = [segment(f" {status['state'].replace('_', ' ')}", BOLD), Segment(f" · {' · '.join(words)}")]
    return fitted([*parts, Segment(f"   {status['table']}", DIM)], room)


def side(
    state: State, status: Mapping[str, Any], seats: Sequence[seat_lines.Seat], room: int, lines: int
) -> list[Line]:
    """The column beside the record, exactly `lines` long."""
    facts = [
        (name.replace("_", " "), state.about.get(name, "")) for name in ("goal", "constraint", "stop_when")
    ]
    facts += [("result", status["result"] or ""), ("stopped", status["stop_reason"] or "")]
    below: list[Line] = []
    for name, value in facts:
        if value:
            below += [fitted(one, room) for one in wrapped(f"{name}: {line(value, 300)}", room, DIM)]
    found = seat_lines.column(list(seats), room, lines - min(len(below), lines // 3))
    empty = fitted([], room)
    gap = [empty] if found and found[-1] != empty else []
    return [*found, *gap, *below, *[empty] * lines][:lines]

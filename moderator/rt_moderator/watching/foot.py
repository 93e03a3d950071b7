"""Below the record: what the table waits for or what was said to the person, and what to type. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment

from rt_moderator.watching import prompting
from rt_moderator.watching.model import Prompt, State
from rt_moderator.watching.pressing import choices
from rt_moderator.watching.styles import BOLD, DIM, Line, between, fitted, segment, width
from rt_participant.show import line

_KEYS = (("s", "say"), ("d", "drain"), ("o", "open seat"), ("m", "jump"), ("/", "filter"), ("enter", "fold"), ("?", "help"), ("q", "quit"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Foot:
    """Its lines, and the cursor among them while a line is being typed."""

    lines: list[Line]
    cursor: tuple[int, int] | None = None


def foot(state: State, status: Mapping[str, Any], room: int, rule: Line) -> Foot:
    """The rule, a line that tells, a line of keys."""
    if state.prompt is None:
        return Foot([rule, _telling(state, status, room), _keys(state, room)])
    typing, at = _typing(state, state.prompt, room)
    below = state.notice or prompting.hint(state, state.prompt)
    return Foot([rule, typing, fitted([segment(f" {below}", BOLD if state.notice else DIM)], room)], (1, at))


def _typing(state: State, prompt: Prompt, room: int) -> tuple[Line, int]:
    """The line, of which the part around the cursor is shown, and the cursor's column."""
    head = f" {prompting.label(state, prompt)}"
    left = max(4, room - cell_len(head) - 2)
    before, after = prompt.field.text[: prompt.field.at], prompt.field.text[prompt.field.at :]
    while cell_len(before) > left:
        before = before[max(1, (cell_len(before) - left) // 2) :]
    parts = [Segment(head, BOLD), Segment(before), Segment(after)]
    return fitted(parts, room), min(room - 1, cell_len(head) + cell_len(before))


def _telling(state: State, status: Mapping[str, Any], room: int) -> Line:
    return between(_told(state, status), [Segment(_where(state), DIM), Segment(" ")], room)


def _told(state: State, status: Mapping[str, Any]) -> Line:
    if state.notice:
        return [Segment(f" {line(state.notice, 400)}", BOLD)]
    offered = choices(state)
    if offered:
        about = state.about
        why = line(about.get("gate_details", "").partition("\n\n")[0], 300) or line(
            about.get("gate_reason", "").replace("_", " ")
        )
        keys = "  ".join(f"{number} {line(one, 30)}" for number, one in enumerate(offered, 1))
        return [
            Segment(f" {keys}", BOLD),
            Segment(f"   {why or 'some turns of the latest step have failed'}"),
        ]
    if status.get("result"):
        why = f", stopped: {line(status['stop_reason'], 120)}" if status["stop_reason"] else ""
        return [Segment(f" result: {line(status['result'], 300)}{why}")]
    waiting = status.get("waiting", {}).get("reason") or ""
    return [Segment(f" {line(waiting, 300)}")]


def _where(state: State) -> str:
    words = []
    if state.filter:
        seat, number = state.filter.seat, state.filter.round
        words.append(
            "only " + " ".join(filter(None, (seat, f"round {number}" if number is not None else "")))
        )
    head = state.entries[-1].seq if state.entries else 0
    if state.top is not None:
        words.append(
            f"m{state.top.key[1]} of m{head}" if state.top.key[1] else f"round {state.top.key[0]} of m{head}"
        )
        words.append("G end")
    elif head:
        words.append(f"m{head}")
    return " · ".join(words)


def _keys(state: State, room: int) -> Line:
    """As many as fit; help and the way out always."""
    shown = [key for key in _KEYS if key[0] != "d" or state.snapshot.get("unread")]
    while len(shown) > 2 and width(_named(shown)) > room:
        del shown[-3]
    return fitted(_named(shown), room)


def _named(keys: Sequence[tuple[str, str]]) -> Line:
    parts: Line = []
    for key, word in keys:
        parts += [Segment("  " if parts else " "), Segment(key, BOLD), Segment(f" {word}", DIM)]
    return parts

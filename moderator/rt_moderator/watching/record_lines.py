"""Rounds and messages as lines of the pane."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from rich.segment import Segment
from rich.style import Style

from rt_moderator.watching.bodies import WIDEST, Bodies
from rt_moderator.watching.model import Entry, Item, State
from rt_moderator.watching.styles import BAD, BOLD, DIM, Line, between, fitted, segment
from rt_moderator.words import listed, seqs

_INDENT = 4
_DAY = 86_400_000
_LABELS = {"synthesis": "synthesis", "note": "note", "late": "too late to count"}


class Record:
    """The record of one state at one width."""

    def __init__(self, state: State, room: int, bodies: Bodies, colours: Mapping[str, Style]) -> None:
        self._state, self._room, self._bodies, self._colours = state, room, bodies, colours
        self._cursor = int(state.snapshot.get("cursor", 0))
        self._asked: dict[int, list[str]] = {}
        for turn in state.snapshot.get("turns", ()):
            self._asked.setdefault(int(turn.get("upto") or 0), []).append(turn["seat"])

    def height(self) -> Callable[[int], int]:
        """How many lines an item has."""
        items = self._state.items

        def of(index: int) -> int:
            item = items[index]
            if not item.seq:
                return 1 if item.folded else 2
            return len(self._body(self._state.entries[item.at])) + 2

        return of

    def lines(self, item: Item, *, chosen: bool) -> list[Line]:
        """The item's lines, each as wide as the pane."""
        empty = fitted([], self._room)
        if not item.seq:
            head = self._round(item, chosen=chosen)
            return [head] if item.folded else [head, empty]
        entry = self._state.entries[item.at]
        body = [fitted([Segment(" " * _INDENT), *line], self._room) for line in self._body(entry)]
        return [self._head(entry, chosen=chosen), *body, empty]

    def _body(self, entry: Entry) -> list[Line]:
        lines = self._bodies.lines(entry.seq, entry.body, self._room - _INDENT - 1)
        if entry.kind == "system":
            lines = [
                [Segment(part.text, BAD if part.text.startswith("[") else DIM) for part in line]
                for line in lines
            ]
        if entry.left:
            rest = f"… {entry.left:,} more characters: rt show m{entry.seq} --from {len(entry.body)}"
            lines = [*lines, fitted([segment(rest, DIM)], self._room - _INDENT)]
        return lines

    def _round(self, item: Item, *, chosen: bool) -> Line:
        first = self._state.entries[item.at].seq
        which = seqs((first, item.last)) if item.count < 3 else f"m{first}–m{item.last}"
        sign = "▸" if item.folded else "▾"
        told = f"   {item.count} message{'s' if item.count != 1 else ''}  {which}"
        new = "  ● unread" if item.folded and item.last > self._cursor else ""
        return fitted(
            [_mark(chosen), Segment(f"{sign} Round {item.round}", BOLD), Segment(told + new, DIM)], self._room
        )

    def _head(self, entry: Entry, *, chosen: bool) -> Line:
        unread = entry.seq > self._cursor and entry.who != "moderator"
        hue = self._colours.get(entry.slug, BOLD if entry.kind != "system" else DIM)
        left = [
            _mark(chosen),
            Segment("● " if unread else "  "),
            Segment(f"m{entry.seq}  "),
            Segment(entry.slug, hue),
        ]
        left.append(Segment(f"  {self._label(entry)}", DIM if entry.kind != "synthesis" else BOLD))
        right = [Segment(self._time(entry.at), DIM), Segment(" ")]
        return fitted(between(left, right, min(self._room, WIDEST + _INDENT + 1)), self._room)

    def _label(self, entry: Entry) -> str:
        if entry.kind == "intent":
            asked = self._asked.get(entry.seq)
            return f"asks {listed(asked)}" if asked else "asks"
        label = _LABELS.get(entry.kind, "")
        return f"{label}, for round {entry.of_round}" if entry.of_round else label

    def _time(self, at: int) -> str:
        today = int(self._state.snapshot.get("clock_ms", 0)) - at < _DAY
        return time.strftime("%H:%M" if today else "%b %d %H:%M", time.localtime(at / 1000))


def _mark(chosen: bool) -> Segment:
    return Segment("▌" if chosen else " ")

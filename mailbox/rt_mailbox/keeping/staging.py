"""Putting a space into the bus: its lines beside it first, in small steps, then all of it in one step."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.lines import Line

_SECONDS = 3600  # what is never switched in goes by itself after this
_MOST_VALUES = 1000  # of one part; a script takes a few thousand at once
_STEP_CHARS = 1 << 18
_STEP_PARTS = 300


class Staging:
    """One import into one space. Nothing in use is touched before `switch`."""

    def __init__(self, door: Door, space: str) -> None:
        self._door, self._space = door, space
        self._name = secrets.token_hex(8)
        self._args: list[str] = []
        self._chars, self._parts = 0, 0
        self._names: set[str] = set()
        self._lengths: Counter[str] = Counter()

    def fill(self, lines: Iterable[Line]) -> None:
        """Stage these lines.

        Raises:
            BusFullError, BusDownError: nothing in use was touched.
        """
        for line in lines:
            for kind, name, values in _parts(line):
                self._put(kind, name, values)
        self._send()

    def switch(self, header: Line, sha256: str, over: str, *, bump: bool = False) -> bool:
        """Make it the content of the space, over nothing, tombstone or all; False when the tombstone names another file.

        With `bump` the epoch rises as `bump_epoch` does, in the same step: the space is an earlier state.

        Raises:
            TableExistsError: over nothing, and the space is not empty; nothing was changed.
        """
        about = (header["epoch"], header["clock"], header["host_epoch"], header["host_seen"])
        lengths = [part for name, count in self._lengths.items() for part in (name, count)]
        found = self._door.script("keep_switch", self._space, self._name, header["space"], over, sha256, *about,
                                  int(bump), len(self._names), *lengths)  # fmt: skip
        return bool(found["switched"])

    def _put(self, kind: str, name: str, values: list[str]) -> None:
        self._names.add(name)
        if kind == "stream":
            self._lengths[name] += 1
        self._args += [kind, name, str(len(values)), *values]
        self._chars += sum(map(len, values))
        self._parts += 1
        if self._chars >= _STEP_CHARS or self._parts >= _STEP_PARTS:
            self._send()

    def _send(self) -> None:
        if self._args:
            self._door.script("keep_stage", self._space, self._name, _SECONDS, *self._args)
        self._args, self._chars, self._parts = [], 0, 0


def _parts(line: Line) -> Iterator[tuple[str, str, list[str]]]:
    """A line as writes: type, name, values; large keys in several."""
    if "message" in line:
        yield "stream", f"log:{line['group']}", [f"{line['message']}-0", *_flat(line["fields"])]
    elif "event" in line:
        yield "stream", "events", [line["event"], *_flat(line["fields"])]
    else:
        kind = next(iter(line))
        held = line.get("fields") or line.get("scores")
        values = _flat(held) if held else line["members"]
        for at in range(0, len(values), _MOST_VALUES):
            yield kind, line[kind], values[at : at + _MOST_VALUES]


def _flat(fields: dict[str, str]) -> list[str]:
    return [part for pair in fields.items() for part in pair]

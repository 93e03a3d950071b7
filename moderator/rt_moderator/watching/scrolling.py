"""Where the pane stands in a list of items of different heights; only those near it are ever measured. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Height = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the item `index`."""

    index: int
    line: int


def end(height: Height, count: int, room: int) -> Place:
    """The place from which the last line of the last item is the last of the pane."""
    index, left = count, room
    while index > 0 and left > 0:
        index -= 1
        left -= height(index)
    return Place(index, max(0, -left))


def moved(place: Place, by: int, height: Height, count: int, room: int) -> Place:
    """`by` lines further, not beyond either end."""
    if not count:
        return Place(0, 0)
    index, line = min(place.index, count - 1), place.line + by
    while line < 0 and index > 0:
        index -= 1
        line += height(index)
    while index < count - 1 and line >= height(index):
        line -= height(index)
        index += 1
    found = Place(index, max(0, min(line, height(index) - 1)))
    last = end(height, count, room)
    return min(found, last, key=lambda one: (one.index, one.line))


def seen(place: Place, height: Height, count: int, room: int) -> list[tuple[int, int, int]]:
    """What the pane shows from `place` on: (index, first line, end line) of each item."""
    found, index, line = [], place.index, place.line
    while room > 0 and index < count:
        last = min(height(index), line + room)
        if last > line:
            found.append((index, line, last))
        room -= last - line
        index, line = index + 1, 0
    return found


def showing(place: Place, index: int, height: Height, count: int, room: int) -> Place:
    """`place`, moved as little as shows the item `index` whole, or its beginning when it is larger than the pane."""
    if index <= place.index:
        return moved(Place(index, 0), 0, height, count, room)
    visible = {at: (first, last) for at, first, last in seen(place, height, count, room)}
    if index in visible and visible[index][1] == height(index):
        return place
    if height(index) >= room:
        return moved(Place(index, 0), 0, height, count, room)
    return moved(Place(index, height(index)), -room, height, index + 1, room)

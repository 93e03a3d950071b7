"""The score matrix and the point ledger of a format, from what it left: result.json, or values in the table's events.

The input is a mapping with `scores: {from: {to: number}}` and `points: [{id, statement, status, positions: {seat: text}}]`,
either of them or none; a position may also be {position | severity, state, evidence, message}, of which words are made. What has another shape is left out and breaks no page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_mailbox import journal, tables
from rt_moderator.page.markup import Href, linked, words

if TYPE_CHECKING:
    from markupsafe import Markup

    from rt_mailbox.door import Door, Reply

_NAMES = ("scores", "points")
_MOST_BYTES = 4 << 20
_PAGE = 500  # events a round trip; those with prompts are large
_MOST = 200  # rows


@dataclass(frozen=True, slots=True)
class Matrix:
    """Who gave whom how much: `rows` are (who scores, one cell for each of `names`), `means` what each of them got."""

    names: list[str]
    rows: list[tuple[str, list[str]]]
    means: list[str]


@dataclass(frozen=True, slots=True)
class Point:
    """One disputed or settled point, and where each seat stands on it."""

    id: str
    statement: str
    status: str
    positions: list[tuple[str, Markup]]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Both, as far as a format recorded them."""

    matrix: Matrix | None
    points: list[Point]


def view(found: Mapping[str, Any], href: Href) -> Ledger:
    """What there is to show of it."""
    return Ledger(_matrix(found.get("scores")), _points(found.get("points"), href))


class Kept:
    """The values that a table's events hold so far; a look reads only the new ones."""

    def __init__(self) -> None:
        self._last = "-"
        self._found: dict[str, Any] = {}

    def read(self, door: Door, table: str) -> dict[str, Any]:
        """The latest `scores` and `points` of the table's `once` events."""
        while found := tables.events(door, table, self._last, _PAGE):
            self._last = found[-1]["id"]
            for event in found:
                if event["type"] == "once":
                    self._found |= _of_event(event)
            if len(found) < _PAGE:
                break
        return self._found


def of_table(door: Door, table: str, format_: str, folder: Path, kept: Kept | None = None) -> dict[str, Any]:
    """The latest `scores` and `points`: of the conclusion, else of result.json in `folder`, else of the events.

    The open format has none.
    """
    if format_ in ("", "open"):
        return {}
    concluded = journal.get(door, table, "concluded")
    if concluded:
        return _picked(concluded.get("outcome", {}).get("extra"))
    return (kept or Kept()).read(door, table) | _of_file(folder / "result.json")


def _of_file(path: Path) -> dict[str, Any]:
    try:
        return _picked(json.loads(path.read_bytes())) if path.stat().st_size <= _MOST_BYTES else {}
    except (OSError, ValueError, RecursionError):
        return {}  # none yet, or one that is damaged: the page does without


def _of_event(event: Reply) -> dict[str, Any]:
    try:
        value = json.loads(event.get("value") or "null")
    except (ValueError, RecursionError):
        return {}
    last = event.get("name", "").rpartition("/")[2]
    return _picked(value if isinstance(value, dict) and last not in _NAMES else {last: value})


def _picked(value: object) -> dict[str, Any]:
    return {name: value[name] for name in _NAMES if value.get(name)} if isinstance(value, dict) else {}


def _matrix(scores: object) -> Matrix | None:
    if not isinstance(scores, dict):
        return None
    given = {str(who): row for who, row in scores.items() if isinstance(row, dict)}
    names = list(dict.fromkeys([*given, *(str(to) for row in given.values() for to in row)]))[:_MOST]
    if not names:
        return None
    rows = [(words(who, 60), [_cell(row.get(to)) for to in names]) for who, row in given.items()]
    columns = ([row.get(to) for row in given.values()] for to in names)
    return Matrix([words(name, 60) for name in names], rows[:_MOST], [_mean(column) for column in columns])


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if good else None  # type: ignore[arg-type]


def _cell(value: object) -> str:
    number = _number(value)
    return "–" if number is None else f"{number:g}"


def _mean(column: list[object]) -> str:
    numbers = [number for value in column if (number := _number(value)) is not None]
    return f"{sum(numbers) / len(numbers):.1f}" if numbers else "–"


def _points(points: object, href: Href) -> list[Point]:
    if not isinstance(points, list):
        return []
    return [_point(one, i, href) for i, one in enumerate(points[:_MOST], 1) if isinstance(one, dict)]


def _point(one: Mapping[str, Any], number: int, href: Href) -> Point:
    positions = one.get("positions")
    pairs = positions.items() if isinstance(positions, dict) else ()
    return Point(
        words(one.get("id") or number, 20),
        words(one.get("statement") or one.get("title", ""), 600),
        words(one.get("status") or one.get("state", ""), 40),
        [(words(seat, 60), linked(words(_held(held), 300), href)) for seat, held in pairs],
    )


def _held(held: object) -> str:
    """A position in words: a text, or what formats keep of it, with the message that says so."""
    if not isinstance(held, dict):
        return str(held)
    said = [
        str(held[name]) for name in ("severity", "state", "position", "text", "evidence") if held.get(name)
    ]
    cite = str(held.get("message") or held.get("cite") or "").removeprefix("m")
    return ", ".join(said) + (f" (m{cite})" if cite else "")

"""What an agent's screen shows: a pure reading of one moment of it. What fits no pattern is unknown, never guessed.

A screen is text that others influence. The patterns decide only whether the bell may ring, never what is true of a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["ready", "busy", "dialog", "draft", "copy_mode", "dead", "unknown"]

_ESCAPE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:?]*[@-~]|\x1b.")
_LAST_LINES = 25  # the lowest lines with anything in them: where input, dialogs and footers are
_SHOWN_LINES = 6
_LONGEST_LINE = 120


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a screen: all of it, and what of it is not dim. A placeholder is dim, what somebody typed is not."""

    text: str
    lit: str


@dataclass(frozen=True, slots=True)
class Screen:
    """One moment of a pane."""

    title: str = ""
    lines: tuple[Line, ...] = ()
    dead: bool = False
    in_mode: bool = False  # somebody reads it in copy mode
    cursor: int = -1  # which of the lines it is in


@dataclass(frozen=True, slots=True)
class Seen:
    """What a screen shows, what somebody has typed into its input line, and the line that tells that it asks something."""

    state: State
    draft: str = ""
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Signals:
    """The compiled patterns of a profile."""

    busy_title: tuple[re.Pattern[str], ...]
    busy: tuple[re.Pattern[str], ...]
    dialog: tuple[re.Pattern[str], ...]
    ready: tuple[re.Pattern[str], ...]
    draft: re.Pattern[str]
    at_cursor: bool = False


def signals(given: Mapping[str, Any]) -> Signals:
    """The patterns of a launch spec's `signals`, compiled once."""
    groups = [tuple(given[name]) for name in ("busy_title", "busy", "dialog", "ready")]
    return _compiled(*groups, given["draft"], given.get("draft_at") == "cursor")


@lru_cache(maxsize=64)
def _compiled(
    busy_title: tuple[str, ...],
    busy: tuple[str, ...],
    dialog: tuple[str, ...],
    ready: tuple[str, ...],
    draft: str,
    at_cursor: bool,
) -> Signals:
    title, screen, asked, waiting = (
        tuple(re.compile(one) for one in some) for some in (busy_title, busy, dialog, ready)
    )
    return Signals(title, screen, asked, waiting, re.compile(draft), at_cursor)


def read(screen: Screen, known: Signals) -> Seen:
    """What the screen shows. A title that says busy wins over the text, in which anything may be quoted."""
    if screen.dead or screen.in_mode:
        return Seen("dead" if screen.dead else "copy_mode")
    lines = lowest(screen)
    if any(one.search(screen.title) for one in known.busy_title):
        return Seen("busy")
    if asking := [line for line in lines if _any(known.dialog, [line])]:
        return Seen("dialog", asks=_short(asking[0].text))
    if _any(known.busy, lines):
        return Seen("busy")
    if not _any(known.ready, lines):
        return Seen("unknown")
    at = screen.lines[screen.cursor : screen.cursor + 1] if known.at_cursor else lines
    draft = _draft(known.draft, at)
    return Seen("draft", draft) if draft else Seen("ready")


def lowest(screen: Screen, most: int = _LAST_LINES) -> list[Line]:
    """The lowest lines that hold anything, top to bottom."""
    return [line for line in screen.lines if line.text.strip()][-most:]


def last_words(screen: Screen) -> str:
    """The last lines as one line without control characters, for a reason that a person reads."""
    words = [_short(line.text) for line in lowest(screen) if re.search(r"\w", line.text)]
    return " / ".join(words[-_SHOWN_LINES:])


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_LINE]


def line_of(raw: str) -> Line:
    """A line as `capture-pane -e` gives it; without control characters afterwards."""
    text, lit, dim, at = "", "", False, 0
    for found in _ESCAPE.finditer(raw):
        part = _plain(raw[at : found.start()])
        text, lit, at = text + part, lit + ("" if dim else part), found.end()
        if found[1] is not None:
            dim = _dim(found[1], dim)
    part = _plain(raw[at:])
    return Line((text + part).rstrip(), (lit + ("" if dim else part)).rstrip())


def lines_of(raw: str) -> tuple[Line, ...]:
    """All lines of a capture. Whether text is dim carries over from line to line, as tmux writes it."""
    carried, found = "", []
    for one in raw.split("\n"):
        found.append(line_of(carried + one))
        codes = [code[1] for code in _ESCAPE.finditer(carried + one) if code[1] is not None]
        dim = False
        for code in codes:
            dim = _dim(code, dim)
        carried = "\x1b[2m" if dim else ""
    return tuple(found)


def _dim(codes: str, before: bool) -> bool:
    """Whether text is dim after these attributes; a colour's own numbers (38;5;2) are none."""
    dim, rest = before, iter(codes.replace(":", ";").split(";"))
    for code in rest:
        if code in ("38", "48", "58"):
            for _ in range(1 if next(rest, "") == "5" else 3):
                next(rest, "")
        elif code == "2":
            dim = True
        elif code in ("", "0", "00", "22"):
            dim = False
    return dim


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _any(patterns: Iterable[re.Pattern[str]], lines: Iterable[Line]) -> bool:
    texts = [line.text for line in lines]
    return any(one.search(text) for one in patterns for text in texts)


def _draft(pattern: re.Pattern[str], lines: Sequence[Line]) -> str:
    """What stands in the lowest input line, '' when nothing was typed."""
    for line in reversed(lines):
        if pattern.search(line.text):
            found = pattern.search(line.lit)
            return found[1].strip() if found else ""
    return ""

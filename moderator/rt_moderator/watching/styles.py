"""Lines of styled text, and the few styles there are: the sixteen colours of the terminal, never a background, so that they read on light and dark."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.theme import Theme

Line = list[Segment]

NONE = Style()
BOLD = Style(bold=True)
DIM = Style(dim=True)
BAD = Style(bold=True, color="red")
HUES = tuple(Style(bold=True, color=name) for name in ("cyan", "magenta", "green", "bright_blue"))
_THEME = Theme(
    {
        "markdown.code": "cyan", "markdown.code_block": "cyan", "markdown.block_quote": "dim", "markdown.list": "none",
        "markdown.item.bullet": "dim", "markdown.item.number": "dim", "markdown.hr": "dim", "markdown.h1": "bold underline",
        "markdown.h2": "bold", "markdown.h3": "bold", "markdown.h4": "bold italic", "markdown.h5": "italic", "markdown.h6": "italic",
        "markdown.link": "underline", "markdown.link_url": "dim", "markdown.table.border": "dim", "markdown.table.header": "bold",
        "repr.number": "none",
    }
)  # fmt: skip


def console() -> Console:
    """A console that only renders; what it gives is written by the screen."""
    return Console(
        file=io.StringIO(), force_terminal=True, color_system="standard", theme=_THEME, highlight=False, emoji=False,
        markup=False, legacy_windows=False, width=80, height=24,
    )  # fmt: skip


def painted(line: Line, *, colour: bool) -> str:
    """The line as a terminal wants it."""
    parts = []
    for text, style, _ in line:
        shown = style if colour or style is None else style.without_color
        parts.append(shown.render(text, color_system=ColorSystem.STANDARD) if shown else text)
    return "".join(parts)


def takes_colour() -> bool:
    """Whether NO_COLOR is not set."""
    return not os.environ.get("NO_COLOR")


def segment(text: str, style: Style = NONE) -> Segment:
    """One piece."""
    return Segment(text, style)


def width(line: Iterable[Segment]) -> int:
    """Columns of a line."""
    return sum(cell_len(part.text) for part in line)


def fitted(line: Sequence[Segment], room: int) -> Line:
    """The line in exactly `room` columns: cut with … or filled up."""
    if width(line) > room:
        return _cut(line, room)
    return [*line, Segment(" " * (room - width(line)))]


def _cut(line: Sequence[Segment], room: int) -> Line:
    out: Line = []
    left = max(0, room - 1)
    for text, style, _ in line:
        size = cell_len(text)
        if size > left:
            out.append(Segment(set_cell_size(text, left), style))
            left = 0
            break
        out.append(Segment(text, style))
        left -= size
    return [*out, Segment("…" if room else "")]


def between(left: Sequence[Segment], right: Sequence[Segment], room: int) -> Line:
    """`left` cut as `right`, at the other end, needs it."""
    if not right or width(right) >= room:
        return fitted(left, room)
    return [*fitted([*left], room - width(right) - 1), Segment(" "), *right]


def wrapped(text: str, room: int, style: Style = NONE) -> list[Line]:
    """Plain text, wrapped."""
    from rich.text import Text

    found = Text(text, style).wrap(_WRAPPING, max(1, room))
    return [[Segment(line.plain.rstrip(), style)] for line in found]


_WRAPPING = console()

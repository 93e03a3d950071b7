"""A message's Markdown as lines of a width, remembered: nothing that a participant writes reaches the terminal but as text."""

from __future__ import annotations

from typing import Any, ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.segment import Segment
from rich.text import Text

from rt_moderator.watching.styles import DIM, Line, console, segment, wrapped
from rt_participant.show import plain

_KEPT = 600  # bodies
_DEEPEST = 14  # quotes and lists in each other
WIDEST = 110  # columns; longer lines are hard to read


class _Code(CodeBlock):
    """Code as it is, without colours of its own, which would need to know the background."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = console.get_style("markdown.code_block")
        lines = Text(str(self.text).rstrip(), style, tab_size=4).wrap(console, max(1, options.max_width - 2))
        for line in lines:
            yield Text("  ").append_text(line)


class _Heading(Heading):
    """A heading where the text begins, of every level."""

    LEVEL_ALIGN: ClassVar[dict[str, Any]] = {}


class _TooDeepError(Exception):
    """The parser would leave out what stands deeper, and there is no room for it."""


class _Body(Markdown):
    """Markdown in which HTML and pictures are text, and a link shows where it leads."""

    elements: ClassVar[dict[str, Any]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }
    _parser = (
        MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST + 4})
        .enable(["strikethrough", "table"])
        .disable("image")
    )

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = self._parser.parse(text)
        if any(token.level > _DEEPEST for token in self.parsed):
            raise _TooDeepError


class Bodies:
    """Renders bodies, each once for a width."""

    def __init__(self) -> None:
        self._console = console()
        self._known: dict[tuple[int, int, str], list[Line]] = {}

    def lines(self, seq: int, body: str, room: int) -> list[Line]:
        """The body at `room` columns, at most 110: no line wider, none empty at its ends."""
        room = max(8, min(room, WIDEST))
        key = (seq, room, body)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KEPT:
                for old in list(self._known)[: _KEPT // 2]:
                    del self._known[old]
            found = self._known[key] = self._rendered(body, room)
        return found

    def _rendered(self, body: str, room: int) -> list[Line]:
        options = self._console.options.update(width=room)
        try:
            rendered = self._console.render_lines(_Body(body), options, pad=False)
        except Exception:  # whatever somebody wrote, it is shown: as it stands
            return wrapped(body, room)
        lines = [_clean(line) for line in rendered]
        while lines and not _text(lines[0]).strip():
            del lines[0]
        while lines and not _text(lines[-1]).strip():
            del lines[-1]
        return lines or [[segment("(nothing to show)", DIM)]]


def _clean(line: list[Segment]) -> Line:
    """Once more without control characters: an entity such as &#x202E; becomes one in Markdown."""
    return [Segment(plain(text).replace("\n", " "), style) for text, style, control in line if not control]


def _text(line: Line) -> str:
    return "".join(part.text for part in line)

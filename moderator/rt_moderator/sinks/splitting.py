"""A long Markdown text in messages of a limited size: a code block is closed at the end of one and opened again in the next. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A line that opens or closes a code block. Longer runs are decoration, and would leave no room for text.
_FENCE = re.compile(r"^([ \t]{0,8})(`{3,20}(?!`)|~{3,20}(?!~))(.*)$")
_LIKE_A_FENCE = re.compile(r"[ \t]*(```|~~~)")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_LONGEST_INFO = 20  # characters of a code block's language that are said again
_AROUND = 80  # the most that closing and opening a block takes
_APART = "\u200b"  # keeps the rest of a line from being read as a fence
SMALLEST = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text, and what was put around it; the texts of all pieces are the whole text."""

    text: str
    before: str = ""
    after: str = ""

    @property
    def message(self) -> str:
        """What is sent."""
        return self.before + self.text + self.after


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open code block."""

    indent: str
    mark: str
    info: str

    @property
    def again(self) -> str:
        return f"{self.indent}{self.mark}{self.info}\n"

    def end(self, text: str) -> str:
        return ("" if text.endswith("\n") else "\n") + self.indent + self.mark


def size(text: str) -> int:
    """Characters as the strictest of the receivers counts them: in UTF-16."""
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)


def messages(text: str, limit: int) -> list[str]:
    """`text` in messages of at most `limit` characters (0: one message); none of them is blank.

    Raises:
        ValueError: the limit is below 200.
    """
    return [piece.message for piece in pieces(text, limit) if piece.text.strip()]


def pieces(text: str, limit: int) -> list[Piece]:
    """The same as pieces, blank ones too. Breaks stand at paragraphs, else at lines, else at words where there are any.

    Raises:
        ValueError: the limit is below 200.
    """
    if limit and limit < SMALLEST:
        msg = f"messages of {limit} characters have no room for Markdown"
        raise ValueError(msg)
    cutter = _Cutter(limit or size(text) + SMALLEST)
    for line in _LINES.findall(text):
        cutter.add(line)
    return cutter.done()


class _Cutter:
    """Takes whole lines, gives pieces."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._done: list[Piece] = []
        self._before = self._text = ""
        self._fence: _Fence | None = None
        self._calm = 0  # a place in the text, outside of code blocks, where a break hurts least

    def add(self, line: str) -> None:
        """Take the next line."""
        if size(line) > self._limit - _AROUND:
            self._add_long(line)
            return
        fence = _fence_after(self._fence, line)
        while self._text and not self._fits(line, fence):
            self._break()
        if self._fence is None and fence is not None:
            self._calm = len(self._text)
        self._text += line
        self._fence = fence
        if fence is None and not line.strip():
            self._calm = len(self._text)

    def done(self) -> list[Piece]:
        """All pieces."""
        self._close()
        return self._done

    def _fits(self, line: str, fence: _Fence | None) -> bool:
        end = fence.end("") if fence else ""
        return size(self._before + self._text + line + end) <= self._limit

    def _break(self) -> None:
        """End a piece: at the last calm place when that leaves it at least half full, else here."""
        if 2 * self._calm < len(self._text):
            self._close()
            return
        self._done.append(Piece(self._text[: self._calm], self._before))
        self._before, self._text, self._calm = "", self._text[self._calm :], 0

    def _close(self) -> None:
        if self._text:
            end = self._fence.end(self._text) if self._fence else ""
            self._done.append(Piece(self._text, self._before, end))
        self._before, self._text, self._calm = self._fence.again if self._fence else "", "", 0

    def _add_long(self, line: str) -> None:
        """A line that no message holds is no fence, whatever it looks like; it begins a message and goes on in others."""
        self._close()
        while line:
            if _LIKE_A_FENCE.match(line):
                self._before += _APART
            head = _head(line, self._limit - _AROUND)
            self._text, line = head, line[len(head) :]
            if line:
                self._close()


def _fence_after(fence: _Fence | None, line: str) -> _Fence | None:
    """The open code block after `line`."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    indent, mark, info = found.groups()
    if fence is None:
        opens = mark[0] == "~" or "`" not in info
        return _Fence(indent, mark, info.strip()[:_LONGEST_INFO]) if opens else None
    closes = mark.startswith(fence.mark) and not info.strip()
    return None if closes else fence


def _head(line: str, room: int) -> str:
    """As much of `line` as fits, up to a space in its second half when there is one."""
    end = min(len(line), room)
    while size(line[:end]) > room:
        end -= max(1, (size(line[:end]) - room) // 2)
    if end == len(line):
        return line
    space = line.rfind(" ", end // 2, end)
    return line[: space + 1] if space > 0 else line[:end]

"""Foreign text inside a Markdown document: it can neither end its place in the structure nor hide what follows. Pure.

Every line becomes part of a block quote, which ends with its last line whatever it holds: headings, lists, open fences.
Raw HTML would escape that, so it is shown as text.
"""

from __future__ import annotations

import re

from rt_participant import show

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_DEFINITION = re.compile(r"\[(?=[^\]]*\]:)")  # `[m3]: url` would make a link of every [m3] of the document
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_ACTIVE = re.compile(r"[\\`*\[\]<>|#~]")


def quoted(text: str) -> str:
    """`text` as a block quote; without control characters."""
    lines = show.plain(text).expandtabs(4).strip("\n").splitlines() or [""]
    code = _code_lines(lines)
    shown = (line if inside else _defused(line) for line, inside in zip(lines, code, strict=True))
    return "\n".join(f"> {line}".rstrip() for line in shown)


def harmless(text: str) -> str:
    """Markdown of somebody else as a part of ours: no HTML, no link definition, no heading above the third level, no open code."""
    lines = show.plain(text).expandtabs(4).strip("\n").splitlines()
    code = _code_lines(lines)
    sure = any(code)
    shown = (one if inside else _lowered(one, fences=sure) for one, inside in zip(lines, code, strict=True))
    return "\n".join(one.rstrip() for one in shown)


def _lowered(line: str, *, fences: bool) -> str:
    """A line outside of code blocks; what looks like a fence is believed only when all of them are."""
    line = re.sub(r"^( {0,3})#{1,2}(?=\s|$)", r"\1###", line)
    line = re.sub(r"^( {0,3})(?=(=+|-{2,})\s*$)", r"\1\\", line)  # would make a heading of the line above
    if not fences:
        line = re.sub(r"`{3,}|~{3,}", lambda run: f"&#{ord(run[0][0])};" * len(run[0]), line)
    return _defused(line)


def inline(text: str) -> str:
    """`text` as one line of plain words, for headings and cells."""
    return _ACTIVE.sub(lambda found: "\\" + found[0], show.line(text, 500))


def _defused(line: str) -> str:
    """Entities, no backslashes: a backslash of the text before one would take its effect away."""
    return _DEFINITION.sub("&#91;", _TAG.sub("&lt;", line))


def _code_lines(lines: list[str]) -> list[bool]:
    """Which lines surely stand in a code block, where an entity would show.

    Only fences at the start of a line that all pair up are believed: a renderer might read any other differently.
    """
    inside: list[bool] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark is None and re.search(r"```|~~~", line):
            return [False] * len(lines)
        opened = fence
        if mark and not fence:
            fence = mark[1]
            if "`" in mark[2] and fence[0] == "`":
                return [False] * len(lines)
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        inside.append(bool(opened and fence))
    return inside if not fence else [False] * len(lines)

"""From what a CLI printed to text: terminal sequences and control characters out, banner lines out. Never raises."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Strings (OSC, DCS, SOS, PM, APC) end at BEL or ST; one without an end swallows no more than its line.
_TERMINAL = re.compile(
    r"\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x9d[^\x07\x9c\n]*[\x07\x9c]?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])
_UNDECODED = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def decode(raw: bytes) -> str:
    """UTF-8, with a replacement character for what is not."""
    return raw.decode("utf-8", "replace")


def plain(text: str) -> str:
    """`text` without terminal sequences and control characters; only tabs and line breaks stay, each break a line feed."""
    text = _TERMINAL.sub("", text) if "\x1b" in text or "\x9b" in text or "\x9d" in text else text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_CONTROL | _UNDECODED)


def screen(text: str) -> str:
    """The same, with lines that were written over by a lone carriage return as a terminal would have left them."""
    if "\r" in text:
        text = "\n".join(_last_written(line) for line in text.replace("\r\n", "\n").split("\n"))
    return plain(text)


def without_lines(text: str, prefixes: Sequence[str], patterns: Sequence[str]) -> str:
    """`text` without the lines that begin with one of `prefixes` or match one of `patterns`; a bad pattern matches nothing."""
    if not prefixes and not patterns:
        return text
    starts = tuple(prefixes)
    found = [pattern for pattern in map(_compiled, patterns) if pattern is not None]
    kept = (
        line
        for line in text.split("\n")
        if not (line.startswith(starts) or any(p.search(line) for p in found))
    )
    return "\n".join(kept)


def matches(text: str, patterns: Sequence[str]) -> bool:
    """Whether one of `patterns` occurs in `text`, in any case of letters."""
    found = (_compiled(pattern) for pattern in patterns)
    return any(pattern.search(text) for pattern in found if pattern is not None)


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error:
        return None


def _last_written(line: str) -> str:
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""

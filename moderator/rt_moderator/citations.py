"""Message numbers in a text, and whether they exist. Pure."""

from __future__ import annotations

import re

_CITATION = re.compile(r"(?<![A-Za-z0-9_/.-])m([1-9][0-9]{0,8})(?![A-Za-z0-9_])")


def cited(text: str) -> list[int]:
    """The message numbers that `text` cites (m12), each once, in order of first mention; code blocks do not count."""
    return list(dict.fromkeys(int(n) for n in _CITATION.findall(_without_code(text))))


def unknown(text: str, head: int) -> list[int]:
    """The cited numbers that a record ending at `head` does not have."""
    return [seq for seq in cited(text) if seq > head]


def _without_code(text: str) -> str:
    kept, fence = [], ""
    for line in text.splitlines():
        bare = line.strip()
        mark = bare[:3]
        if fence:
            fence = "" if mark == fence and not bare.strip(mark[0]) else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            kept.append(line)
    return "\n".join(kept)

"""Message numbers in a text, and whether they exist. Pure."""

from __future__ import annotations

import re

CITATION = re.compile(r"(?<![A-Za-z0-9_/.-])m([1-9][0-9]{0,17})(?![A-Za-z0-9_])")
_FENCE = re.compile(r"`{3,}|~{3,}")


def cited(text: str) -> list[int]:
    """The message numbers that `text` cites (m12), each once, in order of first mention; code blocks do not count."""
    return list(dict.fromkeys(int(n) for n in CITATION.findall(_without_code(text))))


def unknown(text: str, head: int) -> list[int]:
    """The cited numbers that a record ending at `head` does not have."""
    return [seq for seq in cited(text) if seq > head]


def _without_code(text: str) -> str:
    kept, fence = [], ""
    for line in text.splitlines():
        bare = line.strip()
        mark = _FENCE.match(bare)
        if fence:
            if bare.startswith(fence) and not bare.strip(
                fence[0]
            ):  # at least as long as the one that opened it
                fence = ""
        elif mark:
            fence = mark[0]
        else:
            kept.append(line)
    return "\n".join(kept)

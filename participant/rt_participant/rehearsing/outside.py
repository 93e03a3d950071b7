"""What a prompt says outside its fences, line by line: there its own words stand, and nobody else's."""

from __future__ import annotations


def lines(prompt: str) -> list[str]:
    """The lines that are not quoted material."""
    kept, fence = [], ""
    for line in prompt.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif len(ticks) >= 3:
            fence = ticks
        else:
            kept.append(line)
    return kept


def number(text: str) -> int:
    """A number that depends on the text alone."""
    found = 0
    for byte in text.encode("utf-8", "replace"):
        found = (found * 99 + byte) % 1_000_003
    return found

"""What a prompt says outside its fences, line by line: there its own words stand, and nobody else's."""

from __future__ import annotations

import re

from rt_participant import rehearsal

_PERSON = re.compile(r"\(participant/([a-z0-9_-]+)\)")


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


def speaker(prompt: str) -> str:
    """Who is asked, by its slug: two voters have the same role."""
    found = _PERSON.search(prompt)
    return found[1] if found else rehearsal.name_in(prompt)


def number(text: str) -> int:
    """A number that depends on the text alone."""
    found = 0
    for byte in text.encode("utf-8", "replace"):
        found = (found * 99 + byte) % 1_000_003
    return found

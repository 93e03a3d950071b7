"""Small readers of free text: the line that starts with a keyword, the section under a heading. Pure, never fail."""

from __future__ import annotations

import re
from functools import cache

_MARKS = "*_`# \t"
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+\S|\*\*[^*]+\*\*:?[ \t]*$)")
KEYS = ("VOTE", "CHANGED", "SCORES", "VERDICT", "CORRECTION")


def field(text: str, key: str) -> str | None:
    """What stands behind the last `KEY:` that begins a line; None without one, '' when nothing stands there."""
    found = None
    for line in text.splitlines():
        if (value := _value(line, key)) is not None:
            found = value
    return found


def is_field(line: str) -> bool:
    """Whether the line begins with one of the keywords that replies are asked to use."""
    return any(_value(line, key) is not None for key in KEYS)


def is_heading(line: str) -> bool:
    """Whether the line is a heading: of Markdown, or bold and alone."""
    return bool(_HEADING.match(line))


def section(text: str, title: str) -> str | None:
    """The body of the last section called `title`, up to the next heading or keyword; None when there is none."""
    lines = text.splitlines()
    at = [(number, found) for number, line in enumerate(lines) if (found := _titled(title).match(line))]
    if not at:
        return None
    number, found = at[-1]
    body = [(found[1] or "").strip(_MARKS)]
    for line in lines[number + 1 :]:
        if is_heading(line) or is_field(line):
            break
        body.append(line)
    return "\n".join(body).strip()


def _value(line: str, key: str) -> str | None:
    bare = line.strip(" \t-•>").strip(_MARKS)
    name, colon, rest = bare.partition(":")
    return rest.strip(_MARKS) if colon and name.strip(_MARKS).upper() == key else None


@cache
def _titled(title: str) -> re.Pattern[str]:
    words = r"[-‐\s]?".join(map(re.escape, title.split()))
    return re.compile(
        rf"^[ \t]*(?:#{{1,6}}[ \t]*|[*_]{{1,2}})?(?:\d+[.)][ \t]*)?[*_]{{0,2}}{words}[*_]{{0,2}}[ \t]*(?:$|[:—–]([^\n]*)$)",
        re.IGNORECASE,
    )

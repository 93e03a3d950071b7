"""Text for a terminal or an agent: what people wrote, without control characters, cut where it would flood.

Imports nothing heavy: the hot door prints with it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEPT = {ord("\n"): "\n", ord("\t"): "\t"}
# C0, DEL, C1, and the marks that turn the direction of text around or hide it.
_DROPPED = dict.fromkeys(
    (*range(32), *range(127, 160), 1564, 8206, 8207, *range(8234, 8239), *range(8294, 8298))
)
_TABLE = _DROPPED | _KEPT | dict.fromkeys(range(56448, 56576), "�")


def plain(text: str) -> str:
    """`text` without control characters (new lines and tabs stay) and with undecodable bytes marked."""
    return text.translate(_TABLE)


def line(text: str, most: int = 200) -> str:
    """`text` as one line of at most `most` characters."""
    one = " ".join(plain(text).split())
    return one if len(one) <= most else one[: most - 1].rstrip() + "…"


def gist(body: str, most: int = 300) -> str:
    """What a reply says first: the text under its Position heading, else its first paragraph, as one line."""
    lines = plain(body).strip().splitlines()
    for i, text in enumerate(lines):
        if text.lstrip("# *").rstrip(":* ").lower() == "position":
            lines = lines[i + 1 :]
            break
    paragraph: list[str] = []
    for text in lines:
        bare = text.strip()
        if bare and not bare.startswith("#"):
            paragraph.append(bare)
        elif paragraph:
            break
    return line(" ".join(paragraph) or body, most)


def minutes(seconds: float) -> str:
    """'9 min', '45 s'."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(0, seconds):.0f} s"


def person(name: str) -> str:
    """participant/skeptic → skeptic."""
    return plain(name.removeprefix("participant/"))


def message(item: dict[str, Any], most_chars: int = 0, start: int = 0) -> str:
    """One message with its header line; a body over `most_chars` is cut and says how to read on."""
    head = f"m{item['seq']} · {person(item['from'])} · {item['kind']}" + (
        f" · round {item['round']}" if item["round"] else ""
    )
    body = plain(item["body"])[start:]
    if most_chars and len(body) > most_chars:
        body = f"{body[:most_chars]}\n… cut; the rest: rt show m{item['seq']} --from {start + most_chars}"
    return f"{head}\n{body}\n"


def emit(text: str) -> None:
    """Write `text` whole to stdout and flush it.

    Raises:
        OSError: the reader went away; then nothing may be marked as read.
    """
    if sys.stdout is None:
        raise BrokenPipeError
    sys.stdout.flush()
    raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    rest = memoryview(text.encode("utf-8", "replace"))
    while rest:  # by hand: with PYTHONUNBUFFERED a write takes a part and says so, on a non-blocking pipe it takes none
        taken = raw.write(rest)
        if taken is None:
            import select

            select.select([], [raw], [])
        rest = rest[taken or 0 :]


def dumps(value: object) -> str:
    """JSON on one line; undecodable bytes survive as lone surrogates, so that JSON is byte-exact."""
    import json

    return json.dumps(value, separators=(",", ":"))

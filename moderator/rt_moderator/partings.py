"""Where the seats themselves say that they part: their Challenge sections, read as written. No model, no opinion. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rt_mailbox.wire import citations
from rt_participant import show

_MARK = re.compile(
    r"^ {0,3}(?P<heading>#{1,6} *)?\*{0,2}challenges?\*{0,2}(?P<colon>:)?\*{0,2} *(?P<rest>.*)$", re.I
)
_HEADING = re.compile(r"^ {0,3}(#{1,6} |\*\*[^*]+\*\*:?\s*$)")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_REFS = r"m\d+(?:\s*(?:,|&|/|and)\s*m\d+)*"
_LEADING = re.compile(rf"^\**{_REFS}\**\s*[:–—-]+\s*")
_ONLY_REFS = re.compile(_REFS)
_TRAILING = re.compile(rf"\s*[(\[]\s*(?:see |with |vs\.? |against )?{_REFS}\s*[)\]]\.?$")
_LONGEST = 90


@dataclass(frozen=True, slots=True)
class Parting:
    """One point, and the messages that stand on it: the challenged ones and the challenger's."""

    point: str
    seqs: tuple[int, ...]


def partings(messages: Iterable[Mapping[str, Any]]) -> list[Parting]:
    """What replies mark as a challenge and tie to message numbers, in order; the same point once.

    A mark is a heading `## Challenge`, or a line that begins `Challenge:`. What names no earlier message is not listed.
    """
    found: dict[str, Parting] = {}
    for message in messages:
        if message["kind"] != "reply":
            continue
        for item in _items(show.plain(message["body"])):
            cited = [seq for seq in citations(item) if seq < message["seq"]]
            point = _point(item)
            if not cited or not point or _ONLY_REFS.fullmatch(point):
                continue
            known = found.get(point.casefold(), Parting(point, ()))
            seqs = sorted({*known.seqs, *cited, message["seq"]})
            found[point.casefold()] = Parting(known.point, tuple(seqs))
    return list(found.values())


def _point(item: str) -> str:
    return show.line(_TRAILING.sub("", _LEADING.sub("", item)).strip(" *"), _LONGEST).rstrip(".")


def _items(body: str) -> Iterator[str]:
    """The bullets and paragraphs of every Challenge section."""
    lines = body.splitlines()
    at = 0
    while at < len(lines):
        mark = _MARK.match(lines[at])
        at += 1
        if mark is None or not _is_mark(mark):
            continue
        end = _end(lines, at, whole=bool(mark["heading"] or not mark["colon"]), text=mark["rest"])
        yield from _split([mark["rest"], *lines[at:end]])
        at = end


def _is_mark(mark: re.Match[str]) -> bool:
    """Whether it is a mark and no sentence that begins with the word."""
    return bool(mark["colon"]) or not mark["rest"].strip(" :*")


def _end(lines: list[str], at: int, *, whole: bool, text: str) -> int:
    """Where a section ends: at the next heading; one that is a label, at the blank line after its text."""
    seen = bool(text.strip())
    while at < len(lines):
        if _HEADING.match(lines[at]) or (not whole and seen and not lines[at].strip()):
            return at
        seen = seen or bool(lines[at].strip())
        at += 1
    return at


def _split(lines: Iterable[str]) -> Iterator[str]:
    item: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if (bullet or not line.strip()) and item:
            yield " ".join(item)
            item = []
        text = line[bullet.end() :] if bullet else line
        if text.strip():
            item.append(text.strip())
    if item:
        yield " ".join(item)

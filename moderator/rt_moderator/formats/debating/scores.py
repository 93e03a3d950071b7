"""How much seats agree: scores read from free text, the matrix, and the two percentages (S0.23, S0.24). Pure.

A malformed score never stops a discussion, and what was not said never counts as said: it is inferred and marked, or left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rt_moderator.formats.debating import reading

INFERRED = "[SCORE INFERRED]"
NEUTRAL = 3
_SCALE = ("1", "2", "3", "4", "5")
_NEAR = 60  # characters between a label and the digit that is taken for its score
# A number alone, with the `/5` behind it: no part of a word, a citation (m4), a range or a larger number.
_NUMBER = re.compile(
    r"(?<![\w./,−-])(\d+(?:[.,]\d+)*)(?:\s*(?:/|out of|of)\s*(\d+))?(?![\w%]|[.,/]\d|[-–]\d)"
)
_NUMBERING = re.compile(r"^\s*\d+[.)]\s+")
_BEHIND = r"^[\s*_`\])]*(?:\([^()]{0,40}\)[\s*_`]*)?[:=|–—-]+[\s*_`\[(]*"  # what may stand between a label and its score
_CLEAN = re.compile(_BEHIND + r"([1-5])[*_`]*\s*(?:(?:/|out of|of)\s*5\b|(?![\w./,%]|[-–]\d))", re.IGNORECASE)
_ABSTAINS = re.compile(_BEHIND + r"(?:abstain\w*|abstention|n/a)\b", re.IGNORECASE)
_BLOCK = re.compile(r"^[\s#>*_`-]*(?:agreement\s+)?scores\b[\s*_`]*(?::|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scores:
    """What one seat gave its peers. `inferred` are those of `given` that were not readable; who abstained on a peer gave nothing."""

    given: Mapping[str, int] = field(default_factory=dict)
    inferred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Consensus:
    """Both percentages, and both without inferred scores when there were any; None is not scored."""

    pct: float | None = None
    agreement: float | None = None
    pct_read: float | None = None
    agreement_read: float | None = None
    inferred: tuple[str, ...] = ()  # 'from → to', in order


def read_scores(text: str, labels: Mapping[str, str]) -> Scores | None:
    """A reply's scores of its peers; None when it is not scored: no SCORES block and no readable score.

    Args:
        text: the reply.
        labels: peer's slug → how the reader calls it. A score for anybody else, the reader too, counts for nothing.
    """
    block = _block(text)
    given, absent, unread = {}, [], []
    for slug, label in labels.items():
        score = _score(text if block is None else block, label, labels)
        if score is None and block is not None:
            score = _score(text, label, labels)
        if score is None:
            unread.append(slug)
        elif score:
            given[slug] = score
        else:
            absent.append(slug)
    if not labels or (block is None and not given and not absent):
        return None
    return Scores({**given, **dict.fromkeys(unread, NEUTRAL)}, frozenset(unread))


def consensus(found: Mapping[str, Scores]) -> Consensus:
    """Of the replies that were scored, by who gave them. Order of seats is irrelevant; all inferred is not scored."""
    every = [
        (slug, peer, n) for slug, scores in sorted(found.items()) for peer, n in sorted(scores.given.items())
    ]
    read = [n for slug, peer, n in every if peer not in found[slug].inferred]
    inferred = tuple(f"{slug} → {peer}" for slug, peer, _ in every if peer in found[slug].inferred)
    if not read:
        return Consensus(inferred=inferred)
    every_one = [n for *_, n in every]
    return Consensus(
        _pct(every_one),
        _agreement(every_one),
        _pct(read) if inferred else None,
        _agreement(read) if inferred else None,
        inferred,
    )


def matrix(found: Mapping[str, Scores]) -> dict[str, dict[str, int]]:
    """{from: {to: n}}, inferred ones too."""
    return {slug: dict(sorted(scores.given.items())) for slug, scores in sorted(found.items())}


def _pct(numbers: list[int]) -> float:
    return round(sum(numbers) / (len(numbers) * 5) * 100, 1)


def _agreement(numbers: list[int]) -> float:
    return round((sum(numbers) / len(numbers) - 1) / 4 * 100, 1)


def _block(text: str) -> str | None:
    """What stands under the last SCORES line, up to a heading or another keyword."""
    lines = text.splitlines()
    at = [number for number, line in enumerate(lines) if _BLOCK.match(line)]
    if not at:
        return None
    first = lines[at[-1]]
    body = [first[found.end() :] if (found := _BLOCK.match(first)) else ""]
    for line in lines[at[-1] + 1 :]:
        if reading.is_heading(line) or (reading.is_field(line) and not _BLOCK.match(line)):
            break
        body.append(line)
    return "\n".join(body)


def _score(text: str, label: str, labels: Mapping[str, str]) -> int | None:
    """A peer's score: of a clean line, 0 when it abstains there, else the digit nearest to the label; None: neither."""
    places = _places(text, labels.values())
    near: list[tuple[int, int]] = []
    for line, found in places:
        for start, end, name in found:
            if name != label:
                continue
            if clean := _CLEAN.match(line[end:]):
                return int(clean[1])
            if _ABSTAINS.match(line[end:]):
                return 0
            near += _digits(line, start, end, found)
    return min(near)[1] if near else None


def _digits(line: str, start: int, end: int, found: Iterable[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """(distance, digit) of the digits near this label that no other label is nearer to."""
    skipped = numbering.end() if (numbering := _NUMBERING.match(line)) else 0
    near = []
    for number in _NUMBER.finditer(line, skipped):
        at = number.start()
        if number[1] not in _SCALE or number[2] not in (None, "5"):
            continue
        if any(first <= at < last for first, last, _ in found):
            continue
        distance = _distance(at, start, end)
        if distance <= _NEAR and all(distance <= _distance(at, first, last) for first, last, _ in found):
            near.append((distance, int(number[1])))
    return near


def _distance(at: int, start: int, end: int) -> int:
    return start - at if at < start else at - end


def _places(text: str, labels: Iterable[str]) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """Every line that names somebody, with where: labels matched whole, the longest first, in any case of letters."""
    by_name = {label.casefold(): label for label in labels if label}
    if not by_name:
        return []
    names = "|".join(re.escape(name) for name in sorted(by_name, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE)
    lines = []
    for line in text.splitlines():
        found = [(m.start(), m.end(), by_name.get(m[0].casefold(), "")) for m in pattern.finditer(line)]
        if found:
            lines.append((line, found))
    return lines

"""What seats would do, before and after they read each other: votes, changed minds, minority positions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rt_moderator import citations
from rt_moderator.formats.debating import reading

ABSTAIN = "abstain"
_ABSTAINS = re.compile(r"^(?:abstain\w*|abstention|none|no vote|n/?a|undecided)$")
_MOST_CHARS = 120


@dataclass(frozen=True, slots=True)
class Ballot:
    """One seat's vote in round 1 and at the end; '' is no vote. `changed` says whether it moved, `cites` what it says moved it."""

    seat: str
    first: str = ""
    final: str = ""
    changed: bool = False
    cites: tuple[int, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One option with those who hold it."""

    text: str
    seats: tuple[str, ...]


def vote_of(text: str) -> str:
    """The option that a reply votes for, as it wrote it; `abstain`; '' when it holds no vote."""
    found = " ".join((reading.field(text, "VOTE") or "").split())[:_MOST_CHARS]
    return ABSTAIN if _ABSTAINS.match(key(found)) else found


def key(vote: str) -> str:
    """By what votes are compared: small letters, white space and punctuation at the ends aside."""
    return " ".join(vote.casefold().split()).strip(" .,;:!?\"'“”‘’()[]*_`")


def ballots(rounds: Sequence[Mapping[str, str]]) -> list[Ballot]:
    """Every seat of round 1, by slug, from the replies of each round in order.

    A seat that did not answer the last round has no final vote. One that did and named no vote keeps its own, unless it says
    that it changed its mind: then it has none.
    """
    if not rounds:
        return []
    return [_ballot(slug, [replies.get(slug) for replies in rounds]) for slug in sorted(rounds[0])]


def _ballot(slug: str, replies: Sequence[str | None]) -> Ballot:
    first = current = vote_of(replies[0] or "")
    changed, cites, why = False, (), ""  # type: tuple[bool, tuple[int, ...], str]
    for reply in replies[1:]:
        if reply is None:
            continue
        said = reading.field(reply, "CHANGED") or ""
        vote = vote_of(reply)
        moved = said.casefold().startswith("yes")
        if moved or (vote and key(vote) != key(current)):
            changed, why = True, _reason(said)
            cites = tuple(citations.cited(said))
        current = vote or ("" if moved else current)
    final = "" if replies[-1] is None else current
    return Ballot(slug, first, final, changed, cites, why)


def _reason(said: str) -> str:
    return re.sub(r"^yes\b[\s,:;–—-]*", "", said, flags=re.IGNORECASE)


def tally(votes: Mapping[str, str]) -> list[Option]:
    """The options by how many hold them; abstentions and missing votes are none. Order of seats is irrelevant."""
    held: dict[str, list[str]] = {}
    for slug in sorted(votes):
        if votes[slug] and votes[slug] != ABSTAIN:
            held.setdefault(key(votes[slug]), []).append(slug)
    found = [Option(votes[slugs[0]], tuple(slugs)) for slugs in held.values()]
    return sorted(found, key=lambda option: (-len(option.seats), key(option.text)))


def leading(options: Sequence[Option]) -> Option | None:
    """The one option that more seats hold than any other; None in a tie, and when nobody holds any."""
    if not options or (len(options) > 1 and len(options[0].seats) == len(options[1].seats)):
        return None
    return options[0]


def minority(found: Iterable[Ballot]) -> list[Ballot]:
    """Who ended elsewhere than the leading option; without a leading one nobody is a minority."""
    kept = list(found)
    top = leading(tally({ballot.seat: ballot.final for ballot in kept}))
    if top is None:
        return []
    return [b for b in kept if b.final and b.final != ABSTAIN and b.seat not in top.seats]


def unanimous(found: Iterable[Ballot]) -> bool:
    """Whether every seat ended with a vote, at least two with the same and nobody with another; abstaining opposes nothing."""
    kept = list(found)
    options = tally({ballot.seat: ballot.final for ballot in kept})
    return len(options) == 1 and len(options[0].seats) >= 2 and all(ballot.final for ballot in kept)

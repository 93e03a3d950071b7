"""Whether seats find themselves in a synthesis: their verdicts, the tally, and when to ask them at all (S0.25). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rt_moderator.formats.debating import reading

Said = Literal["accurate", "partially", "inaccurate", "abstain"]
_WORDS = re.compile(r"\b(inaccurate|not accurate|partially|partly|abstain|accurate)\b", re.IGNORECASE)
_MEANS: dict[str, Said] = {
    "inaccurate": "inaccurate", "not accurate": "inaccurate", "partially": "partially", "partly": "partially",
    "accurate": "accurate", "abstain": "abstain",
}  # fmt: skip
_STAKES = re.compile(r"\bhigh[- ]stakes\b|\bfinal decision\b|\bpublish(?:ing|ed)?\b", re.IGNORECASE)
_TASTE = re.compile(r"\b(?:opinions?|favou?rites?|prefer\w*|tastes?|ethics|beautiful|feel)\b", re.IGNORECASE)
LOW_CONSENSUS = 40.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one seat says of the draft, with its correction."""

    said: Said
    correction: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """`validated` is None when nobody gave a readable verdict; `flagged` are those who found it inaccurate."""

    validated: Literal["yes", "partial", "no"] | None
    rewrite: bool = False
    flagged: tuple[str, ...] = ()


def verdict_of(text: str) -> Verdict:
    """The verdict of a reply.

    Raises:
        ValueError: it holds none.
    """
    said = reading.field(text, "VERDICT")
    found = _WORDS.search(said if said is not None else text)
    if found is None:
        msg = "write VERDICT: ACCURATE, PARTIALLY or INACCURATE"
        raise ValueError(msg)
    correction = reading.section(text, "correction") or reading.field(text, "CORRECTION") or ""
    return Verdict(_MEANS[found[1].lower()], " ".join(correction.split()))


def tally(verdicts: Mapping[str, Verdict]) -> Tally:
    """Two inaccurate: rewrite once, not validated; one: partial and flagged; any partly: partial; all accurate: yes."""
    said = [verdict.said for verdict in verdicts.values() if verdict.said != "abstain"]
    flagged = tuple(sorted(slug for slug, verdict in verdicts.items() if verdict.said == "inaccurate"))
    if not said:
        return Tally(None)
    if len(flagged) >= 2:
        return Tally("no", rewrite=True, flagged=flagged)
    return Tally("partial" if flagged or "partially" in said else "yes", flagged=flagged)


def recommended(
    *, topic: str, mode: str, quick: bool = False, consensus_pct: float | None = None, integrators: int = 0
) -> str:  # fmt: skip
    """Why `--validate` would have been worth it; '' when it would not. Never in a quick run or a matter of taste."""
    if quick or (mode in ("debate", "default", "") and _TASTE.search(topic)):
        return ""
    if consensus_pct is not None and consensus_pct < LOW_CONSENSUS:
        return f"consensus is {consensus_pct:g} %: a synthesis may distort who holds what"
    if mode == "redteam":
        return "a red team's findings have to be told exactly"
    if mode == "build" and integrators >= 2:
        return "two integrators are easily misrepresented"
    return "the topic says what is at stake" if _STAKES.search(topic) else ""

"""What the moderator writes at a `table`: after every round, and at the end. What makes it unfair is found here. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rt_moderator.formats import structured
from rt_moderator.formats.structured import Message

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$|\*\*(.+?):?\*\*:?$")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(.*)")


def _strip(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_strip), Field(min_length=1)]


class Claim(BaseModel):
    """One sentence, and the messages in which it stands."""

    model_config = ConfigDict(frozen=True)

    text: Words
    messages: list[Message] = Field(min_length=1)


class Synthesis(BaseModel):
    """A round summed up. No next question: nothing is left that another round could bring out."""

    model_config = ConfigDict(frozen=True)

    agreements: list[Claim]
    tensions: list[Claim]
    novel: list[Claim]
    next_questions: list[Words]


class WrapUp(BaseModel):
    """What is left of a table."""

    model_config = ConfigDict(frozen=True)

    takeaways: list[Claim] = Field(min_length=1)
    consensus: list[Claim]
    unresolved: list[Claim]
    next_steps: list[Claim]


SYNTHESIS = {
    "agreements": "Agreements",
    "tensions": "Tensions",
    "novel": "Novel insights",
    "next_questions": "Next questions",
}
WRAP_UP = {
    "takeaways": "Key takeaways",
    "consensus": "Points of consensus",
    "unresolved": "Unresolved debates",
    "next_steps": "Recommended next steps",
}
_WORDS = {  # of a heading, by which a person's text is taken apart
    "agreements": ("agree",),
    "tensions": ("tension", "disagree"),
    "novel": ("novel", "insight", "surpris"),
    "next_questions": ("question",),
    "takeaways": ("takeaway",),
    "consensus": ("consensus",),
    "unresolved": ("unresolved", "open", "debate"),
    "next_steps": ("step",),
}


def synthesis(text: str, said: Mapping[str, int], known: Iterable[int]) -> Synthesis:
    """A job's summary of a round.

    Args:
        text: what it delivered.
        said: slug → seq of its reply in this round.
        known: every number that may be cited.

    Raises:
        ValueError: it is none, or somebody would not be heard.
    """
    found = structured.read(Synthesis, text)
    if wrong := synthesis_problems(found, said, known):
        raise ValueError("; ".join(wrong))
    return found


def synthesis_problems(draft: Synthesis, said: Mapping[str, int], known: Iterable[int]) -> list[str]:
    """What must be put right before a summary counts; empty when everybody is heard in it."""
    claims = [*draft.agreements, *draft.tensions, *draft.novel]
    wrong = [*_unknown(claims, {*known, *said.values()})]
    cited = {seq for claim in claims for seq in claim.messages}
    if unheard := sorted(set(said.values()) - cited):
        wrong.append(f"{_cites(unheard)} stands in no claim: every reply is heard")
    if len(said) > 1:
        wrong += [
            f"{one.text[:60]!r} under {SYNTHESIS[name].lower()} names one message; it takes at least two sides"
            for name in ("agreements", "tensions")
            for one in getattr(draft, name)
            if len(set(one.messages)) < 2
        ]
    return wrong


def wrap_up(text: str, contested: Iterable[int], known: Iterable[int]) -> WrapUp:
    """A job's wrap-up.

    Raises:
        ValueError: it is none, or a dissent would be left out.
    """
    found = structured.read(WrapUp, text)
    if wrong := wrap_up_problems(found, contested, known):
        raise ValueError("; ".join(wrong))
    return found


def wrap_up_problems(draft: WrapUp, contested: Iterable[int], known: Iterable[int]) -> list[str]:
    """What must be put right; `contested` are the messages of the last tensions."""
    claims = [*draft.takeaways, *draft.consensus, *draft.unresolved, *draft.next_steps]
    wrong = [*_unknown(claims, set(known))]
    kept = {seq for one in (*draft.consensus, *draft.unresolved) for seq in one.messages}
    if lost := sorted(set(contested) - kept):
        wrong.append(
            f"{_cites(lost)} was contested: it stands under unresolved, or under consensus if it is settled"
        )
    return wrong


def rendered(draft: Synthesis | WrapUp, cite: Callable[[int], str] = lambda seq: f"m{seq}") -> dict[str, str]:
    """Title → Markdown of each part, in order; `cite` says how a message is named."""
    titles = SYNTHESIS if isinstance(draft, Synthesis) else WRAP_UP
    return {title: _listed(getattr(draft, name), cite) for name, title in titles.items()}


def document(parts: Mapping[str, str]) -> str:
    """Parts as one text with a heading each."""
    return "\n\n".join(f"### {title}\n\n{body}" for title, body in parts.items()) + "\n"


def by_hand(text: str, titles: Mapping[str, str]) -> dict[str, str]:
    """The parts of a person's text, found by its headings; what stands under none of them is `Summary`, kept whole.

    Guarantees: every line of the text that is no recognised heading is in exactly one part. Never raises.
    """
    parts: dict[str, list[str]] = {"Summary": [], **{title: [] for title in titles.values()}}
    at = "Summary"
    for line in text.splitlines():
        heading = _HEADING.match(line.strip())
        name = _part((heading[1] or heading[2] or "").casefold(), titles) if heading else ""
        if name:
            at = titles[name]
        else:
            parts[at].append(line)
    found = {title: "\n".join(lines).strip("\n") for title, lines in parts.items()}
    return {title: body for title, body in found.items() if body.strip()}


def questions(text: str) -> list[str]:
    """The next questions of a person's summary: the items under that heading, else its lines."""
    body = by_hand(text, SYNTHESIS).get(SYNTHESIS["next_questions"], "")
    items = [found[1].strip() for line in body.splitlines() if (found := _ITEM.match(line.strip()))]
    return items or [line.strip() for line in body.splitlines() if line.strip()]


def _part(heading: str, titles: Mapping[str, str]) -> str:
    """The part that a heading begins; disagreements are no agreements, the longest word found decides."""
    hits = [(len(word), name) for name in titles for word in _WORDS[name] if word in heading]
    return max(hits)[1] if hits else ""


def _listed(items: Sequence[Claim] | Sequence[str], cite: Callable[[int], str]) -> str:
    lines = [
        f"- {_line(one)}"
        if isinstance(one, str)
        else f"- {_line(one.text)} ({', '.join(map(cite, sorted(set(one.messages))))})"
        for one in items
    ]
    return "\n".join(lines) or "- none"


def _unknown(claims: Iterable[Claim], known: set[int]) -> list[str]:
    found = sorted({seq for claim in claims for seq in claim.messages} - known)
    return [f"{_cites(found)} cannot be cited: no such reply"] if found else []


def _line(text: str) -> str:
    return " ".join(text.split())


def _cites(seqs: Iterable[int]) -> str:
    return ", ".join(f"m{seq}" for seq in seqs)

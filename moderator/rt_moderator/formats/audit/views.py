"""Findings and statuses as text: for a seat (labels, indented so that nothing in them can pass for another finding), for a person. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rt_moderator import words
from rt_moderator.engine.prompts import line
from rt_moderator.engine.prompts import words as shortened
from rt_moderator.formats.audit.ledger import Entry, Ledger, Position
from rt_moderator.formats.audit.status import Status
from rt_moderator.formats.audit.voices import for_person, for_reader
from rt_moderator.quoting import inline, quoted

MOST_CHARS = 100_000  # of all findings together, in a request
MOST_WORDS = 250  # of one evidence or proposal where it enters a prompt


def findings(ledger: Ledger, reader: str, labels: Mapping[str, str], seats: Collection[str]) -> str:
    """All findings as one seat reads them: peers by label, in the order that the labels have for it.

    Where that gets long every evidence and proposal is cut shorter, marked.
    """
    text = ""
    for most in (MOST_WORDS, MOST_WORDS // 3, MOST_WORDS // 10):
        text = for_reader(_findings(ledger, reader, labels, most), reader, labels, seats)
        if len(text) <= MOST_CHARS:
            break
    return text


def _findings(ledger: Ledger, reader: str, labels: Mapping[str, str], most: int) -> str:
    order = [*labels, reader]
    lines = []
    for entry in ledger:
        raised = words.listed([_who(slug, reader, labels) for slug in _ordered(entry.raised_by, order)])
        lines.append(
            f"{entry.id} · {entry.severity} · {entry.state} · raised by {raised} · {line(entry.title)}"
        )
        for slug in _ordered(entry.positions, order):
            lines += _position(_who(slug, reader, labels), entry.positions[slug], most)
        lines.append("")
    return "\n".join(lines).rstrip()


def _position(who: str, held: Position, most: int) -> list[str]:
    lines = [f"    {who}: {held.severity}, {held.state} (round {held.round})"]
    for label, text in (("evidence", held.evidence), ("proposal", held.proposal)):
        parts = [line(part) for part in shortened(text, most).splitlines() if part.strip()]
        lines += [f"    | {label}: {part}" for part in parts]
    return lines


def statuses(
    found: Mapping[str, Status | None],
    gists: Mapping[str, str],
    reader: str,
    labels: Mapping[str, str],
    seats: Collection[str],
) -> str:
    """How every seat ended and what its last reply said first, as one seat reads it before it votes."""
    lines = []
    for slug in [*labels, reader]:
        status = found.get(slug)
        said = f"{status.verdict}, confidence {status.confidence:g}" if status else "no readable status"
        lines.append(f"{_who(slug, reader, labels)}: {said}")
        if gists.get(slug):
            lines.append(f"    | {line(gists[slug])}")
    return for_reader("\n".join(lines), reader, labels, seats)


def as_json(ledger: Ledger) -> str:
    """All findings with the positions of all seats by slug, for whoever writes the synthesis."""
    return json.dumps([_row(entry) for entry in ledger], indent=1, ensure_ascii=False)


def _row(entry: Entry) -> dict[str, Any]:
    positions = [
        {
            "seat": f"@{slug}", "severity": held.severity, "state": held.state, "cite": held.cite,
            "evidence": shortened(held.evidence, MOST_WORDS), "proposal": shortened(held.proposal, MOST_WORDS),
        }
        for slug, held in entry.positions.items()
    ]  # fmt: skip
    raised = [f"@{slug}" for slug in entry.raised_by]
    return {
        "id": entry.id, "title": entry.title, "severity": entry.severity, "state": entry.state, "raised_by": raised,
        "blocked_by": [f"@{slug}" for slug in entry.blockers()], "positions": positions,
    }  # fmt: skip


def disagreements(entries: Iterable[Entry], live: Collection[str], seats: Collection[str]) -> str:
    """What a gate shows: each finding with who holds what and on which evidence, as Markdown; empty without any."""
    parts = []
    for entry in entries:
        parts.append(f"**{entry.id}** {inline(for_person(entry.title, seats))}")
        for slug, held in entry.positions.items():
            parts.append(f"- {slug} ({held.cite}): {held.severity}, {held.state}")
            if held.evidence:
                parts.append(indented(quoted(for_person(shortened(held.evidence, MOST_WORDS), seats))))
        silent = [slug for slug in live if slug not in entry.positions]
        if silent:
            parts.append(f"- no position: {words.listed(silent)}")
        parts.append("")
    return "\n".join(parts).rstrip()


def points(ledger: Ledger, seats: Collection[str]) -> list[dict[str, Any]]:
    """The findings as the page and result.json have them."""
    return [
        {
            "id": entry.id, "statement": for_person(entry.title, seats), "status": entry.state, "severity": entry.severity,
            "raised_by": list(entry.raised_by),
            "positions": {slug: f"{held.severity}, {held.state} ({held.cite})" for slug, held in entry.positions.items()},
        }
        for entry in ledger
    ]  # fmt: skip


def indented(text: str) -> str:
    """Text as part of a list item."""
    return "\n".join(f"  {one}".rstrip() for one in text.splitlines())


def _who(slug: str, reader: str, labels: Mapping[str, str]) -> str:
    return "you" if slug == reader else labels.get(slug, "a former panelist")


def _ordered(slugs: Iterable[str], order: list[str]) -> list[str]:
    return sorted(slugs, key=lambda slug: order.index(slug) if slug in order else len(order))

"""How findings and a synthesis read in a report. Pure; what models wrote is shown as plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rt_moderator.engine.model import Section
from rt_moderator.engine.report import said
from rt_moderator.formats.debating import scores, votes
from rt_moderator.formats.debating.findings import Findings
from rt_moderator.formats.debating.synthesis import Draft, Position
from rt_moderator.quoting import inline

NOTHING = "None named."


def of_draft(draft: Draft, names: Mapping[str, str], score: str) -> list[Section]:
    """The sections of a synthesis, in their order; every claim with its messages."""
    return [
        Section(title="Consensus", body=_with(score, _bullets(_claim(c.text, c.messages) for c in draft.consensus))),
        Section(title="Divergences", body=_divergences(draft, names)),
        Section(title="Blind spots", body=_bullets(_claim(c.text, c.messages) for c in draft.blind_spots)),
        Section(
            title="Recommendation", body=_claim(draft.recommendation.text, draft.recommendation.messages)
        ),
        Section(title="Outlier", body=_position(draft.outlier, names) if draft.outlier else NOTHING),
        Section(
            title="Red flags",
            body=_bullets(_claim(f"{one.risk} → {one.mitigation}", one.messages) for one in draft.red_flags),
        ),
        Section(
            title="Action plan",
            body="\n".join(f"{n}. {_claim(one.step, one.messages)}" for n, one in enumerate(draft.action_plan, 1)) or NOTHING,
        ),
    ]  # fmt: skip


def without_draft(
    found: Findings, names: Mapping[str, str], score: str, reasons: Sequence[str]
) -> list[Section]:
    """What stands where a synthesis would: why there is none, then every digest as it was written, side by side."""
    why = _bullets(map(inline, reasons)) if reasons else ""
    head = f"Nobody wrote a synthesis; the digests stand side by side. {score}"
    tail = "Add one with `rt synthesis --file FILE`."
    stands = [
        said(names.get(one.seat, one.seat), one.plain, f"m{one.seq}, round {one.round}")
        for one in found.stands
    ]
    return [
        Section(title="No synthesis", body="\n\n".join(filter(None, (head, why, tail)))),
        Section(title="Digests", body="\n\n".join(stands) or NOTHING),
    ]


def score_line(found: Findings) -> str:
    """'Consensus 58 % (agreement 44 %) …', or why there is none."""
    measured = found.consensus
    if measured.pct is None:
        why = "no scores were readable" if found.reread else "nobody scored anybody"
        return f"Consensus N/A: {why}."
    scored = sum(1 for given in found.scores.values() if given.given)
    text = f"Consensus {measured.pct:g} % (agreement {measured.agreement:g} %) of {_count(scored, 'seat')}"
    if absent := len(found.scores) - scored:
        text += f", {absent} abstained"
    if measured.pct_read is not None:
        text += f"; without inferred scores {measured.pct_read:g} % (agreement {measured.agreement_read:g} %)"
    return text + "."


def votes_and_scores(found: Findings, names: Mapping[str, str]) -> Section:
    """Round-1 votes against final ones, who changed their mind and what they cite, minority positions, the matrix."""
    parts = [_ballots(found, names), _changes(found, names), _minority(found, names), _matrix(found, names)]
    return Section(title="Votes and scores", body="\n\n".join(filter(None, parts)) or NOTHING)


def meta(found: Findings, names: Mapping[str, str], notes: Iterable[str]) -> Section:
    """Time-outs, what was inferred or not scored, validation."""
    lines = [
        f"{_failed(failure.state, failure.reason)} {_name(failure.seat, names)} in {step}" for step, failure in found.failures
    ]  # fmt: skip
    lines += [
        f"\\[DIGEST INFERRED\\] {_name(one.seat, names)} (m{one.seq})" for one in found.stands if one.inferred
    ]
    if found.consensus.inferred:
        pairs = ", ".join(inline(pair) for pair in found.consensus.inferred)
        lines.append(f"{inline(scores.INFERRED)} {pairs}")
    lines += [f"Not scored: {_name(seat, names)} gave no readable score" for seat in found.unscored]
    lines += list(map(inline, notes))
    return Section(
        title="Meta", body=_bullets(lines) if lines else "Nobody was late, and everything was readable."
    )


def points(draft: Draft) -> list[dict[str, Any]]:
    """The points of a synthesis for the page: {id, statement, status, positions}."""
    agreed = [{"statement": one.text, "status": "agreed", "positions": {}} for one in draft.consensus]
    parted = [
        {"statement": one.point, "status": "open", "positions": {p.seat: p.text for p in one.positions}}
        for one in draft.divergences
    ]
    return [{"id": f"P{number}", **point} for number, point in enumerate([*agreed, *parted], 1)]


def as_text(sections: Iterable[Section]) -> str:
    """Sections as one text, for the record."""
    return "\n\n".join(f"## {section.title}\n\n{section.body}" for section in sections)


def _claim(text: str, messages: Iterable[str]) -> str:
    return f"{inline(text)} ({', '.join(messages)})"


def _position(position: Position, names: Mapping[str, str]) -> str:
    return f"{_name(position.seat, names)}: {_claim(position.text, position.messages)}"


def _divergences(draft: Draft, names: Mapping[str, str]) -> str:
    blocks = [
        "\n".join(
            [f"- {inline(one.point)}", *(f"  - {_position(position, names)}" for position in one.positions)]
        )
        for one in draft.divergences
    ]
    return "\n".join(blocks) or NOTHING


def _ballots(found: Findings, names: Mapping[str, str]) -> str:
    if not any(ballot.first or ballot.final for ballot in found.ballots):
        return ""
    if not found.reread:
        return "\n".join(
            [
                "| Seat | Vote |",
                "|---|---|",
                *(_row(_name(b.seat, names), _vote(b.final)) for b in found.ballots),
            ]
        )
    rows = [_row(_name(b.seat, names), _vote(b.first), _vote(b.final)) for b in found.ballots]
    return "\n".join(["| Seat | Round 1 | Final |", "|---|---|---|", *rows])


def _changes(found: Findings, names: Mapping[str, str]) -> str:
    lines = []
    for ballot in found.ballots:
        if ballot.changed:
            cites = (
                f"citing {', '.join(f'm{seq}' for seq in ballot.cites)}" if ballot.cites else "citing nothing"
            )
            why = f": {inline(ballot.why)}" if ballot.why else ""
            lines.append(f"- {_name(ballot.seat, names)} changed its mind, {cites}{why}")
    if found.reread and not lines:
        return "Nobody changed their mind."
    return "\n".join(lines)


def _minority(found: Findings, names: Mapping[str, str]) -> str:
    few = [
        f"- Minority: {_name(b.seat, names)} holds “{inline(b.final)}”" for b in votes.minority(found.ballots)
    ]
    return "\n".join(few)


def _matrix(found: Findings, names: Mapping[str, str]) -> str:
    if not found.scores:
        return ""
    table = scores.matrix(found.scores)
    peers = sorted({peer for given in table.values() for peer in given} | set(table))
    rows = [_row("gives → ", *(_name(peer, names) for peer in peers)), "|---" * (len(peers) + 1) + "|"]
    for seat, given in table.items():
        cells = [
            f"{given[peer]}{'*' if peer in found.scores[seat].inferred else ''}" if peer in given else ""
            for peer in peers
        ]
        rows.append(_row(_name(seat, names), *cells))
    starred = "\n\n\\* inferred" if found.consensus.inferred else ""
    return "\n".join(rows) + starred


def _failed(state: str, reason: str) -> str:
    if reason == "timeout":
        return "\\[TIMEOUT\\]"
    return f"\\[ERROR: {inline(reason or state)}\\]"


def _vote(text: str) -> str:
    return inline(text) if text else "no vote"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _name(slug: str, names: Mapping[str, str]) -> str:
    return inline(names.get(slug, slug))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or NOTHING


def _with(head: str, body: str) -> str:
    return f"{head}\n\n{body}" if head else body


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"

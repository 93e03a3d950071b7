"""The report of `interpret`: seven sections in their order, and what result.json gets. Pure.

Words of participants and of the moderation stand quoted or as plain inline text; seats are shown by their slugs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rt_moderator.engine.model import Outcome, Section
from rt_moderator.formats.interpreting.digest import Digest, Point, relabelled
from rt_moderator.formats.interpreting.rounds import Confidence, Status
from rt_moderator.quoting import inline, quoted

_MOST = 300  # characters of a reason


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A row of the seat table at the end: ready, failed, malformed, dropped or blocked, and why."""

    seat: str
    path: str
    status: str = "answered"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything the report says."""

    request: str
    status: Status
    stop_reason: str
    rounds: int  # of discussion
    seats: Sequence[SeatRow]
    digest: Digest
    confidence: Confidence
    reasons: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # point → seat → its last reasoning
    openings: Mapping[str, tuple[int, str]] = field(
        default_factory=dict
    )  # seat → message and reading; without a digest
    by: str = ""
    warnings: Sequence[str] = ()
    failed: bool = False


def outcome(found: Reading) -> Outcome:
    """How the run ended. `extra.status` is the status of the reading, one of three."""
    sections = _sections(found)
    concise = [section for section in sections if section.title in _CONCISE and section.body]
    return Outcome(
        status="failed" if found.failed else "done",
        result=found.status,
        stop_reason=found.stop_reason,
        rounds=found.rounds,
        synthesis="\n\n".join(f"## {section.title}\n\n{section.body}" for section in concise),
        synthesis_model=found.by,
        header=[("Confidence", found.confidence)],
        sections=sections,
        warnings=list(found.warnings),
        extra={
            "status": found.status,
            "confidence": found.confidence,
            "seat_table": [
                {"seat": row.seat, "path": row.path, "status": row.status, "reason": row.reason}
                for row in found.seats
            ],
            "agreements": [_agreement(found.digest, at) for at in range(len(found.digest.agreements))],
            "points": _points(found.digest),
            "open_questions": [relabelled(one, {}) for one in found.digest.open_questions],
            "clarifying_questions": questions(found.digest),
        },
    )


_CONCISE = ("Agreed interpretation", "Unresolved disagreements", "Clarifying questions")


def questions(found: Digest) -> list[str]:
    """What the author of the request could settle: at least one for every open point, then what the seats left open."""
    asked = [relabelled(point.question or _question(point), {}) for point in found.points]
    return list(dict.fromkeys([*asked, *(relabelled(one, {}) for one in found.open_questions)]))


def _question(point: Point) -> str:
    held = dict.fromkeys(" ".join(one.position.split()) for _, one in sorted(point.positions.items()))
    return f"{point.statement}: which is meant — {' — or '.join(held)}?"


def _sections(found: Reading) -> list[Section]:
    return [
        Section(title="Request", body=f"{quoted(found.request)}\n\nStatus: **{found.status}**"),
        Section(title="Seats", body=_seats(found.seats)),
        Section(title="Rounds", body=_rounds(found)),
        Section(title="Agreed interpretation", body=_agreed(found)),
        Section(title="Unresolved disagreements", body=_unresolved(found)),
        Section(title="Clarifying questions", body=_listed(questions(found.digest)) or _none(found)),
        Section(title="Confidence", body=f"**{found.confidence}**. {_because(found)}"),
    ]


def _seats(rows: Sequence[SeatRow]) -> str:
    lines = ["| Seat | Path | Status | Reason |", "|---|---|---|---|"]
    lines += [
        f"| {inline(row.seat)} | {inline(row.path)} | {row.status} | {inline(row.reason)} |" for row in rows
    ]
    return "\n".join(lines)


def _rounds(found: Reading) -> str:
    many = "1 discussion round" if found.rounds == 1 else f"{found.rounds} discussion rounds"
    return f"The blind round and {many}. It stopped because: {inline(found.stop_reason)}."


def _agreed(found: Reading) -> str:
    if found.openings:
        lines = [
            f"**{inline(slug)}** (m{seq})\n\n{quoted(text)}" for slug, (seq, text) in found.openings.items()
        ]
        return "\n\n".join(
            ["*no synthesis*: nobody sorted the readings; here they stand side by side.", *lines]
        )
    lines = [
        f"- {inline(relabelled(one.text, {}))} ({', '.join(f'm{seq}' for seq in sorted(one.messages))})"
        for one in found.digest.agreements
    ]
    return "\n".join(lines) or "Nothing is shared by all seats."


def _unresolved(found: Reading) -> str:
    points = (_open(point, found.reasons.get(point.id, {})) for point in found.digest.points)
    return "\n\n".join(points) or _none(found)


def _open(point: Point, reasons: Mapping[str, str]) -> str:
    """A point: the statement, each reading with who holds it, and why, in the seats' own words."""
    lines = [f"**{point.id}** {inline(relabelled(point.statement, {}))}", ""]
    for words, holders in _readings(point).items():
        who = ", ".join(f"{inline(slug)} m{point.positions[slug].message}" for slug in holders)
        lines.append(f"- {inline(relabelled(words, {}))} ({who})")
        given = dict.fromkeys(_short(relabelled(reasons[slug], {})) for slug in holders if slug in reasons)
        lines += [f"  - because: {inline(why)}" for why in given]
    return "\n".join(lines)


def _readings(point: Point) -> dict[str, list[str]]:
    """Each different reading, and the seats that hold it."""
    found: dict[str, list[str]] = {}
    for slug, held in sorted(point.positions.items()):
        found.setdefault(" ".join(held.position.split()), []).append(slug)
    return found


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST].rstrip()} [… cut]"


def _listed(items: Sequence[str]) -> str:
    return "\n".join(f"- {inline(item)}" for item in items)


def _none(found: Reading) -> str:
    """Nothing, and whether that says something."""
    return "Not known: nobody sorted the readings." if found.openings else "None."


def _because(found: Reading) -> str:
    heard = sum(row.status == "answered" for row in found.seats)
    total, left = len(found.digest.agreements) + len(found.digest.points), len(found.digest.points)
    return (
        f"{heard} of {len(found.seats)} seats were heard to the end; {left} of {total} readings stayed open."
    )


def _agreement(found: Digest, at: int) -> dict[str, Any]:
    one = found.agreements[at]
    return {
        "text": relabelled(one.text, {}),
        "messages": [f"m{seq}" for seq in one.messages],
        "point": one.point,
    }


def _points(found: Digest) -> list[dict[str, Any]]:
    """The ledger: open points with their positions, and the locked ones as the agreement they became."""
    open_ = [
        {
            "id": point.id,
            "statement": relabelled(point.statement, {}),
            "status": "open",
            "positions": {
                slug: {"position": relabelled(held.position, {}), "message": f"m{held.message}"}
                for slug, held in sorted(point.positions.items())
            },
        }
        for point in found.points
    ]
    locked = [
        {"id": one.point, "statement": relabelled(one.text, {}), "status": "locked", "positions": {}}
        for one in found.agreements
        if one.point
    ]
    return sorted([*open_, *locked], key=lambda point: int(str(point["id"])[1:]))

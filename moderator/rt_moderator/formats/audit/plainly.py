"""A draft that nobody wrote: every finding where its state puts it, in the words of the seats. It passes the check of drafts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rt_moderator import words
from rt_moderator.engine.prompts import line
from rt_moderator.engine.prompts import words as shortened
from rt_moderator.formats.audit.draft import (
    CHANGES,
    IMPROVEMENTS,
    NOTES,
    OPEN,
    SPEC,
    TASKS,
    Material,
    joined,
    sections,
)
from rt_moderator.formats.audit.ledger import Entry
from rt_moderator.formats.audit.status import Objection
from rt_moderator.formats.audit.views import MOST_WORDS, indented
from rt_moderator.quoting import inline, quoted


def draft(material: Material, said: str = "") -> str:
    """Resolved findings as spec, what is to do as tasks or improvements, blocking ones as open; `said` goes to the notes."""
    blocking = material.ledger.blocking()
    rest = [entry for entry in material.ledger if entry.id not in blocking]
    notes = [quoted(said)] if said else []
    if material.degraded:
        gone = [f"@{slug} ({line(why)})" for slug, why in material.degraded.items()]
        notes.append(
            f"- The run is degraded: {words.listed(gone)}. What they would have said at the end is not in this result."
        )
    grave = [entry for entry in rest if entry.state != "withdrawn" and entry.severity != "minor"]
    tasks = [
        _item(entry)
        for entry in sorted(grave, key=lambda entry: (entry.severity != "blocking", not entry.stands))
    ]
    return joined(
        {
            SPEC: _listed(_item(entry) for entry in rest if entry.state == "resolved"),
            TASKS: _listed(f"{at}. {task}" for at, task in enumerate(tasks, 1)),
            IMPROVEMENTS: _listed(
                f"- {_item(entry)}" for entry in rest if entry.stands and entry.severity == "minor"
            ),
            OPEN: "\n\n".join(_open(entry) for entry in material.ledger if entry.id in blocking) or "none",
            NOTES: "\n".join(notes) or "none",
        }
    )


def with_objections(text: str, objections: Sequence[tuple[str, str, Objection]]) -> str:
    """The draft with every objection (its number, its seat, itself) moved to the open disagreements, and a note of that."""
    parts = sections(text)
    moved = []
    for number, slug, one in objections:
        wants = f"\n  wants: {inline(one.wants)}" if one.wants else ""
        moved.append(
            f"### {number}, veto of @{slug} on {inline(one.where)}\n\n- @{slug}:\n{indented(quoted(one.why))}{wants}"
        )
    old = (
        ""
        if parts.get(OPEN, "").strip().casefold() in ("", "none", "none.")
        else parts[OPEN].rstrip() + "\n\n"
    )
    parts[OPEN] = old + "\n\n".join(moved)
    parts[CHANGES] = (parts.get(CHANGES, "") + "\n" if parts.get(CHANGES) else "") + "\n".join(
        f"- {number} (@{slug}): moved to {OPEN}" for number, slug, _ in objections
    )
    return joined(parts)


def _listed(rows: Iterable[str]) -> str:
    return (
        "\n".join(row if row[0].isdigit() or row.startswith("- ") else f"- {row}" for row in rows) or "none"
    )


def _item(entry: Entry) -> str:
    proposals = [(slug, held) for slug, held in entry.positions.items() if held.proposal]
    cites = words.seqs(int(held.cite[1:]) for held in entry.positions.values())
    raised = ", ".join(f"@{slug}" for slug in entry.raised_by)
    head = f"{entry.id} {inline(entry.title)} (raised by {raised}; {cites})"
    return "\n".join(
        [
            head,
            *(
                f"  - @{slug}:\n{indented(indented(quoted(_short(held.proposal))))}"
                for slug, held in proposals
            ),
        ]
    )


def _open(entry: Entry) -> str:
    lines = [f"### {entry.id} {inline(entry.title)}", ""]
    for slug, held in entry.positions.items():
        lines.append(f"- @{slug} ({held.cite}): {held.severity}, {held.state}")
        lines += [indented(quoted(_short(text))) for text in (held.evidence, held.proposal) if text]
    return "\n".join(lines)


def _short(text: str) -> str:
    return shortened(text, MOST_WORDS)

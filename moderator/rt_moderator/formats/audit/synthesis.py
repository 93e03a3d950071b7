"""The draft of an audit's result: by a one-shot job under `run`, else by whoever moderates; refused while it leaves something out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_moderator.formats.audit import draft, plainly, views
from rt_moderator.formats.debating.writers import bias, writers

if TYPE_CHECKING:
    from rt_moderator.engine.model import Job, Seat
    from rt_moderator.engine.table import Table
    from rt_moderator.formats.audit.draft import Material
    from rt_moderator.formats.audit.status import Objection

_TRIES = 3  # of whoever moderates by hand
_WRAPPED = re.compile(r"\A\s*(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n(.*)\n\1\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """A text, by whom, and what has to be said about that; `seq` is its message when it is in the record already."""

    text: str
    by: str = ""
    warnings: tuple[str, ...] = ()
    whole: bool = True  # somebody wrote it and it passed the check
    seq: int = 0


async def drafted(table: Table, material: Material, brief: str, ended: str) -> Written:
    """The draft; when nobody delivers one, the findings side by side."""

    def check(text: str) -> str:
        return draft.checked(unwrapped(text), material)

    if not table.options.run:
        return await _by_hand(
            table,
            "synthesis",
            check,
            f"the synthesis of this audit ({ended})",
            material,
            plainly.draft(material),
        )
    job = await table.job(
        "draft", "audit_synthesis", writers((), table.options, table.seats), seconds=table.options.synthesis_seconds, check=check,
        brief=brief, ended=ended, findings=views.as_json(material.ledger), degraded=_degraded(material),
    )  # fmt: skip
    if not job.done:
        why = "; ".join(job.reasons) or "nobody could be asked"
        return Written(
            plainly.draft(material),
            "nobody",
            (f"No synthesis: {why}. The findings stand side by side.",),
            whole=False,
        )
    return Written(str(job.parsed), _by(job), _bias(job, table.seats))


async def revised(
    table: Table, name: str, before: str, objections: Sequence[tuple[str, str, Objection]], material: Material
) -> Written:
    """The draft after the vote; when nobody revises it, every objection stands under the open disagreements."""

    def check(text: str) -> str:
        return rechecked(unwrapped(text), objections, material)

    if not table.options.run:
        numbers = ", ".join(number for number, _, _ in objections)
        asks = f"the synthesis after the vote, with {numbers} fixed or moved and a line on each under `## {draft.CHANGES}`"
        found = await _by_hand(
            table, name, check, asks, material, plainly.with_objections(before, objections)
        )
    else:
        job = await table.job(
            name, "audit_revision", writers((), table.options, table.seats), seconds=table.options.synthesis_seconds, check=check, draft=before,
            objections=listed(objections), findings=views.as_json(material.ledger), degraded=_degraded(material),
        )  # fmt: skip
        found = Written(str(job.parsed or ""), _by(job), _bias(job, table.seats), whole=job.done)
    if found.whole:
        return found
    warning = "Nobody revised the draft; the objections were added to it as they are."
    return Written(plainly.with_objections(before, objections), warnings=(warning,))


async def _by_hand(
    table: Table, name: str, check: Callable[[str], str], asks: str, material: Material, listing: str
) -> Written:
    """What the moderator hands over, given a listing to start from; after the last refusal its text stands in the notes of one."""
    start = await table.publish(f"{name}.listing", listing)
    asks = f"{asks}; m{start} lists it in the form that is needed, to start from"
    problem, text, seq = "", "", 0
    for at in range(1, _TRIES + 1):
        said = await table.moderate(f"{name}{at}", f"{asks}; refused before: {problem}" if problem else asks)
        text, seq = str(said["text"]), int(said["seq"])
        try:
            return Written(check(text), "the moderator", seq=seq)
        except ValueError as exc:
            problem = str(exc)
    warning = f"The moderator's text was refused {_TRIES} times, last because: {problem}. It stands under the notes."
    return Written(plainly.draft(material, text), "the moderator", (warning,), whole=name == "synthesis")


def rechecked(text: str, objections: Sequence[tuple[str, str, Objection]], material: Material) -> str:
    """A revised draft.

    Raises:
        ValueError: it is no draft any more, or an objection is neither fixed nor moved.
    """
    parts = draft.sections(text)
    changes = parts.pop(draft.CHANGES, "")
    found = draft.problems(draft.joined(parts), material)
    for number, slug, one in objections:
        fate = fate_of(number, changes)
        if not fate:
            found.append(f"{draft.CHANGES} has no line `- {number} (@{slug}): fixed: …` or `moved: …`")
        elif fate == "moved" and not _stands(parts.get(draft.OPEN, ""), number, slug, one):
            found.append(f"{draft.OPEN} does not have {number} of @{slug} in its own words")
    if found:
        raise ValueError("; ".join(found[:12]))
    return text


def fate_of(number: str, changes: str) -> str:
    """What became of an objection by the note of changes: fixed, moved, or '' when it says nothing."""
    line = re.search(
        rf"^\s*[-*]?\s*{number}\b[^:\n]*:\s*(fixed|moved)\b", changes, re.MULTILINE | re.IGNORECASE
    )
    return line[1].lower() if line else ""


def _stands(body: str, number: str, slug: str, one: Objection) -> bool:
    about = "\n".join(part for part in draft.chunks(body) if re.search(rf"\b{number}\b", part))
    return draft.names(about, slug) and draft.own_terms(about, one.why)


def listed(objections: Sequence[tuple[str, str, Objection]]) -> str:
    """The objections for whoever revises."""
    rows = []
    for number, slug, one in objections:
        rows.append(f"{number} @{slug} on {' '.join(one.where.split())}")
        rows += [
            f"    | {label}: {' '.join(text.split())}"
            for label, text in (("why", one.why), ("wants", one.wants))
            if text
        ]
    return "\n".join(rows)


def unwrapped(text: str) -> str:
    """A document without the code fence that was put around all of it."""
    found = _WRAPPED.match(text)
    return found[2] if found else text.strip() + "\n"


def _by(job: Job) -> str:
    return " ".join(filter(None, (job.profile, job.model)))


def _bias(job: Job, seats: Sequence[Seat]) -> tuple[str, ...]:
    why = bias(job, seats)
    return (f"Bias risk: {why}, and wrote the synthesis.",) if why else ()


def _degraded(material: Material) -> str:
    return ", ".join(f"@{slug} ({why})" for slug, why in material.degraded.items())

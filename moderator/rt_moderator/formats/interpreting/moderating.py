"""The digest of a step: from the moderating person or agent, or, when nobody attends, from a one-shot job.

Whoever makes it, it counts only when it is fair to every seat (`digest.problems`). After a discussion round there is always
one: it follows from the replies; after the blind round only somebody who read them can make it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_moderator.engine.prompts import words
from rt_moderator.formats import moderators, structured
from rt_moderator.formats.interpreting import briefs
from rt_moderator.formats.interpreting.digest import (
    Digest,
    Ground,
    digest,
    merged,
    problems,
    relabelled,
    resolved,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from rt_moderator.engine.table import Table


@dataclass(frozen=True, slots=True)
class Said:
    """What a step gave the moderator to sort."""

    name: str  # of the step
    replies: Mapping[str, BaseModel]  # slug → its reply in form
    labels: Mapping[str, str]  # of the step
    ground: Ground
    draft: Digest | None = None  # what follows from the replies alone; None in the blind round
    paths: tuple[str, ...] = ()
    round: int = 0


@dataclass(frozen=True, slots=True)
class Moderated:
    """A digest, who made it ('' when it follows from the replies), and what there is to say about that."""

    digest: Digest | None
    by: str = ""
    warnings: tuple[str, ...] = ()


async def moderated(table: Table, said: Said) -> Moderated:
    """The digest after this step; None only when nobody delivered one for the blind round."""
    await table.phase(f"{said.name}.moderation", "awaiting_synthesis")
    found = await (_by_job(table, said) if table.options.run else _by_hand(table, said))
    if found.digest is not None and table.options.run:
        await table.publish(f"{said.name}.digest", rendered(found.digest, said.name))
    await table.phase(f"{said.name}.on", "debating")
    return found


async def _by_job(table: Table, said: Said) -> Moderated:
    template = "interpret_moderation" if said.draft is None else "interpret_remoderation"
    ground = said.ground
    job = await table.job(
        f"{said.name}.moderator", template, moderators.candidates(table.options, table.seats),
        check=_checked(said),
        said=[
            {"label": label, "cite": f"m{ground.said[slug]}", "text": briefs.compact(said.replies[slug])}
            for slug, label in said.labels.items()
            if slug in said.replies
        ],
        paths=said.paths, round=said.round, locked=ground.locked, open=[point.id for point in ground.open],
        before=briefs.shown(ground.before, said.labels), schema=briefs.form(Digest)["schema"],
    )  # fmt: skip
    if job.done:
        return Moderated(merged(job.parsed, ground.before), moderators.by_whom(job))
    why = words(f"no moderator delivered a digest of {said.name}: {'; '.join(job.reasons)}", 60)
    return Moderated(said.draft, "", (why,))


def _checked(said: Said) -> Callable[[str], Digest]:
    def check(text: str) -> Digest:
        return fair(resolved(digest(text), said.labels), said.ground)

    return check


def fair(draft: Digest, ground: Ground) -> Digest:
    """The draft when nothing is wrong with it.

    Raises:
        ValueError: names everything that is.
    """
    if wrong := problems(draft, ground):
        raise ValueError("; ".join(wrong))
    return draft


async def _by_hand(table: Table, said: Said) -> Moderated:
    """The digest that came with the moderator's synthesis, or stands in it; asked for again until it is fair.

    After a discussion round a synthesis without a digest is taken as a yes to what follows from the replies.
    """
    name, why, tries = f"{said.name}.digest", "", 1
    while True:
        asks = _asks(said) + (f"\n\nNot taken yet: {why}" if why else "")
        found = await table.moderate(name if tries == 1 else f"{name}.again{tries}", asks)
        given = found["digest"] if found["digest"] is not None else found["text"]
        try:
            draft = resolved(digest(given), said.labels)
            taken = merged(fair(draft, said.ground), said.ground.before)
            return Moderated(taken, f"the moderator (m{found['seq']})")
        except ValueError as exc:
            why = str(exc)
        if found["digest"] is None and not _holds_json(found["text"]):
            if said.draft is not None:
                return Moderated(said.draft)
            why = "there is no digest in it: rt synthesis --digest FILE"
        tries += 1


def _holds_json(text: str) -> bool:
    """Whether a digest was meant: a slip in one must not pass as a yes."""
    return next(structured.objects(text), None) is not None


def _asks(said: Said) -> str:
    ground = said.ground
    if said.draft is None:
        cites = ", ".join(f"m{seq}" for seq in sorted(ground.said.values()))
        return f"a digest of {cites}: agreements, points D1, D2 … with each seat's position and its message, open questions (--digest FILE)"
    open_, locked = (
        [point.id for point in ground.open],
        f"{', '.join(ground.locked) or 'nothing'} was settled",
    )
    rest = f"{', '.join(open_)} stay open" if open_ else "nothing is open"
    draft = json.dumps(said.draft.model_dump(mode="json"), ensure_ascii=False)
    return f"{said.name}: {locked}, {rest}; a synthesis alone takes the positions as they are, --digest FILE words them:\n{draft}"


def rendered(found: Digest, step: str) -> str:
    """The digest as a message of the record, with seats by their slugs and a citation at every claim."""
    lines = [f"## Digest after {step}", "", "### Agreed"]
    lines += [f"- {relabelled(one.text, {})} ({_cites(one.messages)})" for one in found.agreements] or [
        "- nothing yet"
    ]
    lines += ["", "### Open"]
    for point in found.points:
        lines.append(f"- {point.id}: {relabelled(point.statement, {})}")
        lines += [
            f"  - {slug}: {relabelled(held.position, {})} (m{held.message})"
            for slug, held in sorted(point.positions.items())
        ]
    if not found.points:
        lines.append("- nothing")
    if found.open_questions:
        lines += [
            "",
            "### Questions left",
            *(f"- {relabelled(one, {})}" for one in found.open_questions),
        ]
    return "\n".join(lines) + "\n"


def _cites(seqs: list[int]) -> str:
    return ", ".join(f"m{seq}" for seq in sorted(seqs))

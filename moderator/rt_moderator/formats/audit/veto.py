"""The vote over the draft: one round, every live seat, an objection is fixed or moved; a second one only when a person asks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rt_moderator import words
from rt_moderator.formats.audit import draft, status, synthesis, views, voices
from rt_moderator.quoting import inline

if TYPE_CHECKING:
    from rt_moderator.formats.audit.debate import Debate
    from rt_moderator.formats.audit.draft import Material
    from rt_moderator.formats.audit.status import Objection, Vote
    from rt_moderator.formats.audit.synthesis import Written


@dataclass(frozen=True, slots=True)
class Vetoed:
    """How the vote went: the votes, the objections by number with what became of each, and the text after it."""

    written: Written
    votes: Mapping[str, Vote | None] = field(default_factory=dict)
    objections: tuple[tuple[str, str, Objection], ...] = ()
    fates: Mapping[str, str] = field(default_factory=dict)
    skipped: str = ""
    before: Vetoed | None = None  # the vote that came before a person asked for this one

    @property
    def moved(self) -> list[str]:
        """The numbers of the objections that are open disagreements now."""
        return [number for number, fate in self.fates.items() if fate != "fixed"]

    @property
    def summary(self) -> str:
        """The vote in one line."""
        if self.skipped:
            return f"none: {self.skipped}"
        of: dict[str, list[str]] = {}
        for slug, vote in self.votes.items():
            of.setdefault(vote.vote if vote else "no readable vote", []).append(slug)
        said = [f"{kind}: {words.listed(slugs)}" for kind, slugs in of.items()]
        fates = [f"{number} {fate}" for number, fate in self.fates.items()]
        return "; ".join([*said, *([f"objections: {words.listed(fates)}"] if fates else [])])


async def voted(debate: Debate, written: Written, material: Material) -> Vetoed:
    """The vote, and the draft after it."""
    table = debate.table
    if skipped := _skipped(debate, written):
        return Vetoed(written, skipped=skipped)
    found = Vetoed(written)
    for at in range(1, 100):
        name = "veto" if at == 1 else f"veto{at}"
        await table.phase(f"{name}.phase", "veto")
        found = await _once(debate, name, found if at > 1 else None, found.written, material)
        await debate.watch(f"{name}.target", "the veto")
        if not found.objections or table.options.steering != "active":
            break
        decided = await table.gate(
            f"{name}.gate", "veto", table_of(found, debate.seats), ("continue", "veto")
        )
        if decided.choice != "veto":
            break
    return found


def _skipped(debate: Debate, written: Written) -> str:
    if not debate.table.options.veto:
        return "switched off"
    if not written.whole:
        return "there is no draft"
    return "" if debate.live else "no seat is left"


async def _once(
    debate: Debate, name: str, before: Vetoed | None, written: Written, material: Material
) -> Vetoed:
    table, seats = debate.table, debate.seats
    labels = table.labels(name, seats)
    each = {
        slug: {
            "draft": voices.for_reader(written.text, slug, labels[slug], seats),
            "statuses": views.statuses(debate.statuses, debate.gists, slug, labels[slug], seats),
            "findings": views.findings(debate.ledger, slug, labels[slug], seats),
        }
        for slug in debate.live
    }
    step = await table.collect(
        name, debate.live, "audit_veto", parse=status.vote, reminder="audit_veto_again",
        title=f"The draft of the result goes to a vote of {words.listed(debate.live)}", each=each, seconds=debate.case.seconds,
        again=True, labels={slug: labels[slug] for slug in debate.live}, needed=False, schema=status.schema(status.Vote),
    )  # fmt: skip
    votes: dict[str, Vote | None] = dict.fromkeys(debate.live)
    for answer in step:
        votes[answer.seat] = (
            None if answer.malformed else voices.vote_named(answer.parsed, labels[answer.seat])
        )
    objections = _numbered(votes, after=before)
    if not objections:
        return Vetoed(written, votes, before=before)
    revised = await synthesis.revised(table, f"{name}.revision", written.text, objections, material)
    parts = draft.sections(revised.text)
    fates = {number: synthesis.fate_of(number, parts.get(draft.CHANGES, "")) for number, _, _ in objections}
    return Vetoed(revised, votes, objections, fates, before=before)


def _numbered(
    votes: Mapping[str, Vote | None], *, after: Vetoed | None
) -> tuple[tuple[str, str, Objection], ...]:
    """The objections, numbered on from those of the votes before."""
    first = 1
    while after:
        first, after = first + len(after.objections), after.before
    all_ = [(slug, one) for slug, vote in sorted(votes.items()) if vote for one in vote.objections]
    return tuple((f"V{at}", slug, one) for at, (slug, one) in enumerate(all_, first))


def table_of(found: Vetoed, seats: Collection[str]) -> str:
    """The votes as Markdown tables, the last one below those before."""
    if found.skipped:
        return f"No vote was taken: {found.skipped}."
    rows = ["| Seat | Vote | Objection | What became of it |", "|---|---|---|---|"]
    for slug, vote in found.votes.items():
        said = vote.vote if vote else "no readable vote"
        own = [one for one in found.objections if one[1] == slug]
        rows += [
            f"| {slug} | {said} | {_cell(number, one, seats)} | {found.fates[number]} |"
            for number, _, one in own
        ]
        rows += [] if own else [f"| {slug} | {said} | | |"]
    earlier = (
        f"{table_of(found.before, seats)}\n\nThe next vote, as it was asked for:\n\n" if found.before else ""
    )
    return earlier + "\n".join(rows)


def _cell(number: str, one: Objection, seats: Collection[str]) -> str:
    return f"{number} on {inline(voices.for_person(one.where, seats))}: {inline(voices.for_person(one.why, seats))}"

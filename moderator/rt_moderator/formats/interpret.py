"""`interpret`: what is being asked? Seats read one request alone, then talk about where they differ; nobody answers it.

A blind round, a digest, at most five discussion rounds over the open points, a report. No roles, equal requests, a fresh
session every round: the digest carries everything.
"""

from __future__ import annotations

from rt_config.errors import TooFewSeatsError
from rt_moderator.engine.model import Outcome
from rt_moderator.engine.table import NobodyAnsweredError, Table
from rt_moderator.formats import moderators
from rt_moderator.formats.interpreting import briefs, rounds
from rt_moderator.formats.interpreting.digest import Ground
from rt_moderator.formats.interpreting.moderating import Said, moderated
from rt_moderator.formats.interpreting.replies import Discussion, Opening, discussion, opening
from rt_moderator.formats.interpreting.seats import QUORUM, unpacked
from rt_moderator.formats.interpreting.state import Run

VERSION = 1
USES = frozenset(
    {"rounds", "named", "moderator", "out", "budget_min", "budget_usd", "turn_timeout", "require_consensus"}
)
ROUNDS = 5  # of discussion, at most; the blind round does not count


async def run(table: Table) -> Outcome:
    """From the request to the report."""
    state = _begun(table)
    stop = await _read_alone(table, state)
    while not stop:
        stop = state.ended() or await table.budget(f"r{state.done + 1}") or await _discuss(table, state)
    found = state.outcome(table.topic, table.seats, stop)
    return await table.conclude(moderators.marked(found, table.options))


def _begun(table: Table) -> Run:
    """Nothing is asked below the quorum.

    Raises:
        TooFewSeatsError: names who is missing, and why.
    """
    planned = unpacked(table.fields)
    if len(table.seats) < QUORUM:
        blocked = [row for row in planned if row.get("blocked_reason")]
        missing = "; ".join(f"{row['seat']} ({row['blocked_reason']})" for row in blocked) or "more seats"
        raise TooFewSeatsError(format="interpret", needed=QUORUM, there=len(table.seats), missing=missing)
    paths = tuple(line for line in table.fields.get("context_paths", "").splitlines() if line.strip())
    asked = ROUNDS if table.options.rounds is None else table.options.rounds
    state = Run(paths, min(asked, ROUNDS), planned)
    if asked > ROUNDS:
        state.warnings.append(f"{asked} rounds were asked for; after {ROUNDS} it reports in any case")
    return state


async def _read_alone(table: Table, state: Run) -> str:
    """The blind round, and its digest; why it ends here, or ''."""
    step = await table.collect(
        "r0", table.seats, "interpret_opening", parse=opening, reminder="interpret_opening_again",
        round=0, notes=False, paths=state.paths, **briefs.form(Opening),
    )  # fmt: skip
    state.first = step
    said = state.heard(step)
    if len(said) < QUORUM:
        return f"too_few_seats: {len(said)} readings could be used, it takes {QUORUM}"
    labels = _labels(table, "r0")
    state.take(await moderated(table, Said("r0", step.parsed(), labels, Ground(said), paths=state.paths)))
    return ""


async def _discuss(table: Table, state: Run) -> str:
    """One discussion round over what is open, and the digest that follows; why it ends here, or ''."""
    number, before = state.done + 1, state.digest
    name, labels = f"r{number}", _labels(table, f"r{number}")
    try:
        step = await table.collect(
            name, table.seats, "interpret_round", reminder="interpret_round_again",
            parse=discussion(point.id for point in before.points), round=number,
            labels={seat.slug: labels for seat in table.seats}, number=number, rounds=state.rounds, paths=state.paths,
            **briefs.points(before, labels), **briefs.form(Discussion),
        )  # fmt: skip
    except NobodyAnsweredError:
        return f"no_replies: nobody answered round {number}"
    said = state.heard(step)
    heard = {slug: briefs.unlabelled(reply, labels) for slug, reply in step.parsed().items()}
    state.reasoned(heard)
    usable = {slug: rounds.Heard(reply, said[slug]) for slug, reply in heard.items()}
    count = rounds.counted(before, usable, state.live, state.agrees)
    ground = Ground(said, before, count.locked, state.known)
    state.take(await moderated(table, Said(name, heard, labels, ground, count.draft, state.paths, number)))
    state.agrees, state.done = count.agrees, number
    state.verdict = rounds.verdict(before, state.digest, count)
    return ""


def _labels(table: Table, step: str) -> dict[str, str]:
    slugs = [seat.slug for seat in table.seats]
    return briefs.step_labels(slugs, table.id, step, named=table.options.named)

"""`table`: a moderated round table. A question a round, replies in parallel, a summary, then on, elsewhere, or to the end.

Attended, the moderator sums up and decides after every round; under `run` a one-shot job sums up and it goes on for the
number of rounds, or until nothing is left to ask.
"""

from __future__ import annotations

from rt_moderator.engine.model import Outcome, Step
from rt_moderator.engine.table import NobodyAnsweredError, Table
from rt_moderator.formats import moderators
from rt_moderator.formats.tabling import moderating, syntheses
from rt_moderator.formats.tabling.roster import with_host
from rt_moderator.formats.tabling.talk import FALLBACK_QUESTION, Round, Talk, outcome, side_by_side

VERSION = 1
USES = frozenset(
    {"rounds", "named", "host_seat", "moderator", "out", "budget_min", "budget_usd", "turn_timeout"}
)
ROUNDS = 3


async def run(table: Table) -> Outcome:
    """From the topic to the wrap-up."""
    if table.options.host_seat and not any(seat.slug == "host" for seat in table.seats):
        await table.sit("host", with_host((), table.options.host_seat))
    talk = Talk(table.seats)
    question, stop = await moderating.first_question(table, talk), ""
    while not stop:
        number = len(talk.rounds) + 1
        try:
            step = await _asked(table, talk, number, question)
        except NobodyAnsweredError:
            if not talk.rounds:
                raise
            stop = f"no_replies: nobody answered round {number}"
            break
        await moderating.summed_up(table, talk, Round(number, question, step))
        stop, question = await _goes_on(table, talk)
    found = outcome(talk, await moderating.wrapped_up(table, talk), stop)
    return await table.conclude(moderators.marked(found, table.options))


async def _asked(table: Table, talk: Talk, number: int, question: str) -> Step:
    """A round: the question stands in the record before its turns; each seat is asked in its own role."""
    slugs = [seat.slug for seat in table.seats]
    labels = table.labels("r1", slugs)  # the same in every round: a resumed session knows them from the first
    if number == 1:
        others = {
            slug: {"others": [_other(table, peer, label) for peer, label in labels[slug].items()]}
            for slug in slugs
        }
        return await table.ask(
            "r1", table.seats, "table_round1", title=question, each=others, round=1, labels=labels,
            count=len(slugs), question=question, material="\n\n".join(filter(None, (table.options.prior, table.options.context))),
        )  # fmt: skip
    shown = {slug: {"synthesis": _shown(talk, {**labels[slug], slug: "you"})} for slug in slugs}
    return await table.ask(
        f"r{number}", table.seats, "table_round", title=question, each=shown, round=number, labels=labels,
        number=number, question=question,
    )  # fmt: skip


def _other(table: Table, slug: str, label: str) -> dict[str, str]:
    seat = table.seat(slug)
    return {"label": label, "role": seat.role, "focus": seat.viewpoint}


def _shown(talk: Talk, names: dict[str, str]) -> str:
    """The last summary as one reader sees it."""
    last = talk.last
    if last.summary is None:
        return last.text if last.seq else side_by_side(last.step, names)
    parts = syntheses.rendered(last.summary, lambda seq: talk.cite(seq, names))
    return syntheses.document(parts)


async def _goes_on(table: Table, talk: Talk) -> tuple[str, str]:
    """Why it ends here, or '', and the next question."""
    last = talk.last
    if not table.options.run:
        return await _decided(table, talk)
    planned = table.options.rounds or ROUNDS
    asks = last.summary.next_questions if last.summary else [FALLBACK_QUESTION]
    if len(last.step.answers) < 2:
        return "one_reply: there is nobody to talk to", ""
    if not asks:
        return "nothing_left: the summary asks nothing more", ""
    if last.number >= planned:
        return f"rounds: {last.number} of {planned}", ""
    return await table.budget(f"r{last.number + 1}"), asks[0]


async def _decided(table: Table, talk: Talk) -> tuple[str, str]:
    """What a person decides after a round; what is said with it steers the next question."""
    last = talk.last
    asks = syntheses.questions(last.text)
    following = asks[0] if asks else FALLBACK_QUESTION
    over = await table.budget(f"r{last.number + 1}")
    details = "\n".join(
        filter(None, (f"Round {last.number} is summed up in m{last.seq}. Next: {following}", over))
    )
    decided = await table.gate(f"r{last.number}.gate", "round", details, ("continue", "steer", "stop"))
    if decided.choice == "stop":
        return "stopped by the moderator", ""
    return "", decided.text.strip() if decided.choice == "steer" and decided.text.strip() else following

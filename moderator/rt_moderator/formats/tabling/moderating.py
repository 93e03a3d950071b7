"""The moderator's part of a `table`: the first question, a summary a round, the wrap-up.

Attended, a person or an agent writes the summaries; under `run` one-shot jobs do, and what would leave somebody out is refused.
"""

from __future__ import annotations

from rt_moderator.engine.table import Table
from rt_moderator.formats import moderators, structured
from rt_moderator.formats.tabling import syntheses
from rt_moderator.formats.tabling.syntheses import Synthesis, WrapUp
from rt_moderator.formats.tabling.talk import Round, Talk, panel, side_by_side

_MOST_QUESTION = 120  # words


async def first_question(table: Table, talk: Talk) -> str:
    """The topic; under `run` a job makes it a question that the roles can differ on."""
    if not table.options.run:
        return table.topic
    job = await table.job(
        "question", "table_question", moderators.candidates(table.options, table.seats), check=_question,
        count=len(table.seats), panel=panel(table.seats), material=table.options.context,
    )  # fmt: skip
    if not job.done:
        talk.warnings.append(f"nobody made a first question of the topic: {'; '.join(job.reasons)}")
    return _question(job.text) if job.done else table.topic


def _question(text: str) -> str:
    """A question as it is asked.

    Raises:
        ValueError: none, or too long.
    """
    said = text.strip()
    if not said or len(said.split()) > _MOST_QUESTION:
        msg = "one question of at most 50 words, and nothing around it"
        raise ValueError(msg)
    return said


async def summed_up(table: Table, talk: Talk, now: Round) -> None:
    """The summary of a round goes into the record: a person's, or a job's that hears everybody."""
    number, step = now.number, now.step
    before = talk.rounds[-1].text if talk.rounds else ""
    talk.rounds.append(now)
    await table.phase(f"r{number}.summing", "awaiting_synthesis")
    if not table.options.run:
        asks = f"sum up round {number} ({', '.join(a.cite for a in sorted(step, key=lambda a: a.seq))}): {', '.join(syntheses.SYNTHESIS.values())}"
        found = await table.moderate(f"r{number}.synthesis", asks)
        talk.rounds[-1] = Round(number, now.question, step, found["text"], found["seq"])
        talk.by = f"the moderator (m{found['seq']})"
        return
    said = {answer.seat: answer.seq for answer in step}
    known = talk.known
    job = await table.job(
        f"r{number}.moderator", "table_synthesis", moderators.candidates(table.options, table.seats),
        check=lambda text: syntheses.synthesis(text, said, known), number=number, question=now.question, before=before,
        said=[{"cite": a.cite, "role": table.seat(a.seat).role, "text": a.text} for a in step],
        schema=structured.schema(Synthesis),
    )  # fmt: skip
    if not job.done:
        talk.warnings.append(f"nobody summed up round {number}: {'; '.join(job.reasons)}")
        return
    talk.by = moderators.by_whom(job)
    text = syntheses.document(syntheses.rendered(job.parsed, talk.cite))
    seq = await table.publish(f"r{number}.synthesis", text)
    talk.rounds[-1] = Round(number, now.question, step, text, seq, job.parsed)


async def wrapped_up(table: Table, talk: Talk) -> dict[str, str] | None:
    """Takeaways, consensus, unresolved, next steps; None when nobody wrote them."""
    await table.phase("wrapping", "awaiting_synthesis")
    if not table.options.run:
        asks = f"wrap up: {', '.join(syntheses.WRAP_UP.values())}"
        found = await table.moderate("wrapup", asks)
        talk.by = f"the moderator (m{found['seq']})"
        return syntheses.by_hand(found["text"], syntheses.WRAP_UP)
    contested, known = talk.contested, talk.known
    job = await table.job(
        "wrapup.moderator", "table_wrapup", moderators.candidates(table.options, table.seats),
        check=lambda text: syntheses.wrap_up(text, contested, known),
        summaries=[one.text or side_by_side(one.step, {}) for one in talk.rounds],
        contested=[f"m{seq}" for seq in contested], schema=structured.schema(WrapUp),
    )  # fmt: skip
    if not job.done:
        talk.warnings.append(f"nobody wrote the wrap-up: {'; '.join(job.reasons)}")
        return None
    talk.by = moderators.by_whom(job)
    parts = syntheses.rendered(job.parsed, talk.cite)
    await table.publish("wrapup", syntheses.document(parts))
    return parts

"""A format of the tests that uses everything the engine has, and reads like its description."""

from __future__ import annotations

import json

from rt_moderator.engine.commands import JobSpec
from rt_moderator.engine.model import Outcome, Section
from rt_moderator.engine.report import said
from rt_moderator.engine.table import Table

VERSION = 1
USES = frozenset({"rounds"})
found = 0


def number(text: str) -> int:
    """The first line as a number."""
    return int(text.strip().splitlines()[0])


def chance() -> int:
    """Another value at every call: what must be found once."""
    global found  # noqa: PLW0603
    found += 1
    return found


async def run(table: Table) -> Outcome:
    """Ask, look something up, have a job done, ask for numbers, wait for a person, publish, conclude."""
    first = await table.ask("r1", table.seats, "toy_first", round=1)
    drawn = await table.once("chance", chance)
    slow = await table.once("slow", lambda: {"slow": True}, slow=True)
    job = (await table.jobs("helper", JobSpec("helper", "Say something.\n", ("nobody", "rehearsal"), 30.0)))[
        0
    ]
    second = await table.collect(
        "r2",
        first.seats,
        "toy_second",
        parse=number,
        reminder="toy_again",
        title="How many?",
        round=2,
        drawn=drawn,
    )
    if why := await table.budget("r3"):
        return await table.conclude(Outcome(result="stopped", stop_reason=why, rounds=2))
    decided = await table.gate("after", "round", "Go on?")
    seq = await table.publish(
        "synthesis", f"All said {sum(second.parsed().values())} (m{first.answers[0].seq})"
    )
    return await table.conclude(
        Outcome(
            result=decided.choice, stop_reason="it was asked", rounds=2, synthesis=f"m{seq}",
            sections=[Section(title="Said", body="\n\n".join(said(a.seat, a.text, a.cite) for a in first))],
            extra={"numbers": second.parsed(), "malformed": [a.seat for a in second if a.malformed], "drawn": drawn,
                   "slow": json.dumps(slow), "job": job.profile, "reasons": list(job.reasons)},
        )
    )  # fmt: skip

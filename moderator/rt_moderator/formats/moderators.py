"""Who makes the moderator's texts when nobody attends: one-shot jobs, no seat and no vote."""

from __future__ import annotations

from collections.abc import Sequence

from rt_config.seat_spec import COMMAND
from rt_moderator.engine.model import Job, Outcome, Seat
from rt_moderator.engine.options import Options


def candidates(options: Options, seats: Sequence[Seat]) -> tuple[str, ...]:
    """PROFILE[:MODEL] in the order in which they are asked, each once.

    The one that was named; then CLIs of this machine that sit in none of the seats; then those of the seats, each with its
    own default model. A seat with an argv of its own is never asked: it may be anything.
    """
    panel = [seat.profile for seat in seats if seat.profile not in ("", COMMAND)]
    outside = [one for one in options.roster if one.partition(":")[0] not in panel]
    return tuple(dict.fromkeys(filter(None, (options.moderator, *outside, *panel))))


def by_whom(job: Job) -> str:
    """Who made it, for the report."""
    return " ".join(filter(None, (job.profile, job.model))) or "nobody"


def marked(outcome: Outcome, options: Options) -> Outcome:
    """The outcome, with a line that says what the moderation was when nobody attended."""
    if not options.run:
        return outcome
    line = ("Moderation", "one-shot jobs outside the panel: no seat, no vote")
    return outcome.model_copy(update={"header": [*outcome.header, line]})

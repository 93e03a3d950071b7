"""Who writes the synthesis, in order, and whether that is a risk of bias. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rt_moderator.engine.model import Job, Seat
from rt_moderator.engine.options import Options

_REHEARSAL = "rehearsal"  # its models are behaviours of seats: only the profile alone can write


def writers(wanted: Sequence[str], options: Options, seats: Sequence[Seat]) -> tuple[str, ...]:
    """PROFILE[:MODEL] of the candidates: who was named, then other families, then who does not sit, then the panel's own."""
    panel = [_spec(seat) for seat in seats if seat.profile]
    families = {seat.family for seat in seats}
    roster = [one for one in options.roster if _family(one, options) not in families]
    roster += [one for one in options.roster if one not in panel]
    found = [one for one in (*wanted, options.synthesizer, options.moderator, *roster, *panel) if one]
    return tuple(dict.fromkeys(found)) or (_REHEARSAL,)


def bias(job: Job, seats: Sequence[Seat]) -> str:
    """Why the writer may lean towards the panel; '' when nobody of its family sits on it."""
    kin = [seat.slug for seat in seats if seat.family and seat.family == job.family]
    return f"{job.profile} is of the same family ({job.family}) as {', '.join(kin)}" if kin else ""


def _spec(seat: Seat) -> str:
    return f"{seat.profile}:{seat.model}" if seat.model and seat.profile != _REHEARSAL else seat.profile


def _family(spec: str, options: Options) -> str:
    profile = spec.partition(":")[0]
    return options.families.get(profile, profile)

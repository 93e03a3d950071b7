"""`--roles auto` at the command line: one call, before any table exists. What is asked and taken is in `auto_roles`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rt_moderator.engine import jobs
from rt_moderator.engine.commands import JobSpec
from rt_moderator.engine.model import Seat
from rt_moderator.engine.options import Options
from rt_moderator.formats import moderators
from rt_moderator.formats.tabling import auto_roles

if TYPE_CHECKING:
    from rt_moderator.plan import SeatPlan

_SECONDS = 90.0


def proposed_roles(
    topic: str, seats: Sequence[SeatPlan], *, moderator: str = "", cwd: str = "", seconds: float = _SECONDS
) -> tuple[list[SeatPlan], list[str]]:
    """The seats with roles made for the topic, and what to say; nothing is started but the call, which has ended.

    Seats that were given a role keep it. When nobody delivers, the default five are taken in order, and it is said.

    Args:
        topic: what the table is about.
        seats: completed ones, with profiles.
        moderator: PROFILE[:MODEL] to ask first; then the seats' own CLIs are asked.
        cwd: whose rt.toml counts.
        seconds: for each CLI asked.
    """
    slugs = [seat.slug for seat in seats if not seat.role]
    if not slugs:
        return list(seats), []
    panel = [Seat(seat.slug, profile=seat.profile) for seat in seats]
    spec = JobSpec(
        "roles", auto_roles.prompt(topic, len(slugs)), moderators.candidates(Options(moderator=moderator), panel),
        seconds, lambda text: auto_roles.parse(text, slugs),
    )  # fmt: skip
    found = jobs.run(spec, cwd)
    if found["text"]:
        return auto_roles.seated(seats, auto_roles.parse(found["text"], slugs)), []
    why = f"nobody made roles for this topic ({'; '.join(found['reasons'])}); these are the usual ones"
    return auto_roles.seated(seats, auto_roles.default_roles(slugs)), [why]

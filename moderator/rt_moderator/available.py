"""Which seats can run on this machine, and what to install for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rt_config import profiles as catalog
from rt_config.errors import CliMissingError
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_config.profiles import Profile
    from rt_config.settings import Settings


def runs(spec: str, profiles: Mapping[str, Profile]) -> bool:
    """Whether the CLI of PROFILE[:MODEL] is there."""
    profile = profiles.get(spec.partition(":")[0])
    return profile is not None and catalog.available(profile)


def install_line(profile: Profile) -> str:
    """How to get its CLI."""
    return profile.install or f"put {profile.executable} on PATH"


def there(seats: Sequence[SeatPlan], settings: Settings) -> tuple[list[SeatPlan], list[dict[str, str]]]:
    """Those of the seats that can run here, and {seat, why, action} of the others.

    Raises:
        CliMissingError: none can.
    """
    profiles = catalog.load(settings)
    left = [seat for seat in seats if not runs(seat.profile, profiles)]
    if seats and len(left) == len(seats):
        first = profiles[seats[0].profile]
        raise CliMissingError(cli=first.executable or first.name, install=install_line(first))
    return [seat for seat in seats if seat not in left], [
        _left_out(seat, profiles[seat.profile]) for seat in left
    ]


def _left_out(seat: SeatPlan, profile: Profile) -> dict[str, str]:
    why = f"left out, {profile.name} is not installed"
    return {"seat": seat.slug, "why": why, "action": f"install it: {install_line(profile)}"}

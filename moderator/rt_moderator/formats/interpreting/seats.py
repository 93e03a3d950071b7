"""Who sits in `interpret`, and why somebody does not. Reads profiles and PATH; makes nothing.

Nobody is replaced: a seat that cannot run stays in the list with its reason, and lowers the confidence of the result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rt_config import profiles as catalog
from rt_config import rosters
from rt_config.errors import RoundtableError, TooFewSeatsError
from rt_config.seat_spec import COMMAND
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_config.profile_model import Access
    from rt_config.settings import Settings

QUORUM = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the seat table: a planned seat, how it is launched, and why it cannot be ('' when it can)."""

    seat: SeatPlan
    path: str
    blocked_reason: str = ""

    @property
    def status(self) -> str:
        """`ready` or `blocked`."""
        return "blocked" if self.blocked_reason else "ready"

    def row(self) -> dict[str, str]:
        """As the plan, `status` and result.json have it."""
        return {
            "seat": self.seat.slug,
            "path": self.path,
            "status": self.status,
            "blocked_reason": self.blocked_reason,
        }


def interpret_seats(settings: Settings, access: Access = "read-only") -> list[Place]:
    """The default panel of four as this machine can seat it, in the order of the panel's file.

    Raises:
        BadConfigError: a configured profile does not read as one.
    """
    return [_first(row["slug"], row["any_of"], settings, access) for row in rosters.load("interpret")["seat"]]


def places(seats: Iterable[SeatPlan], settings: Settings, access: Access = "read-only") -> list[Place]:
    """The same for any panel: roles and viewpoints are taken away, a seat that cannot run is blocked with its reason."""
    default = catalog.default_profile(settings)
    return [
        _placed(
            replace(seat, profile=_profile(seat) or default, role="", viewpoint="", fallback=""),
            settings,
            access,
        )
        for seat in seats
    ]


def seated(found: Sequence[Place]) -> list[SeatPlan]:
    """The seats that can run.

    Raises:
        TooFewSeatsError: less than three; names every missing one with what it lacks. Nothing is to be started.
    """
    ready = [place.seat for place in found if not place.blocked_reason]
    if len(ready) < QUORUM:
        blocked = [f"{place.seat.slug} ({place.blocked_reason})" for place in found if place.blocked_reason]
        raise TooFewSeatsError(
            format="interpret", needed=QUORUM, there=len(ready), missing="; ".join(blocked) or "more seats"
        )
    return ready


def packed(found: Sequence[Place]) -> str:
    """The seat table as the table's field `seat_table` keeps it: the report names who is missing, and why."""
    return json.dumps([place.row() for place in found], ensure_ascii=False)


def unpacked(fields: Mapping[str, Any]) -> list[dict[str, str]]:
    """The seat table of a table's fields; empty when none was kept."""
    try:
        rows = json.loads(fields.get("seat_table") or "[]")
    except ValueError:
        return []
    return [row for row in rows if isinstance(row, dict) and "seat" in row] if isinstance(rows, list) else []


def _profile(seat: SeatPlan) -> str:
    return COMMAND if seat.command else seat.profile


def _first(slug: str, any_of: Sequence[str], settings: Settings, access: Access) -> Place:
    """The first of the alternatives that can run, else the first one with the reasons of all."""
    tried = []
    for spec in any_of:
        one = catalog.parse_seat(f"{slug}={spec}")
        tried.append(
            _placed(SeatPlan(slug, profile=one.profile, model=one.model, effort=one.effort), settings, access)
        )
        if not tried[-1].blocked_reason:
            return tried[-1]
    reasons = "; or ".join(place.blocked_reason for place in tried)
    return replace(tried[0], blocked_reason=reasons)


def _placed(seat: SeatPlan, settings: Settings, access: Access) -> Place:
    try:
        asked = catalog.SeatSpec(
            seat.slug, seat.profile, seat.model, seat.effort, seat.transport, seat.command
        )
        profile = catalog.for_seat(catalog.load(settings), asked)
        spec = catalog.launch_spec(profile, seat.model, seat.effort, access, "", seat.transport)
    except RoundtableError as exc:
        return Place(seat, _path(seat, seat.transport), str(exc))
    path = _path(seat, spec["transport"])
    if not catalog.available(profile):
        install = profile.install or f"put {profile.executable} on PATH"
        return Place(seat, path, f"{profile.executable} is not installed: {install}")
    return Place(seat, path)


def _path(seat: SeatPlan, transport: str) -> str:
    return " ".join(filter(None, (seat.profile, seat.model, seat.effort, transport)))

"""The check of seats before round 1: who cannot answer is left out, or replaced where that was named, with the reason."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio

from rt_config import profiles as catalog
from rt_config.errors import ChecksFailedError, RoundtableError, UsageError
from rt_config.profiles import SeatSpec
from rt_moderator import attended, plan, roster, seat_check
from rt_moderator.seat_check import Verdict
from rt_participant import oneshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rt_config.profile_model import Access, Profile
    from rt_config.settings import Settings
    from rt_moderator.plan import SeatPlan
    from rt_moderator.starting import Request


@dataclass(frozen=True, slots=True)
class Checked:
    """Who sits down, and who does not: per change {kind, seat, why, action}, kind `left_out` or `substituted`."""

    kept: Sequence[SeatPlan]
    changes: Sequence[Mapping[str, str]]


def request(asked: Request, settings: Settings, say: Callable[[str], None]) -> Request:
    """`asked` with the seats that passed; what was left out or replaced is said, and goes into `changes`.

    Raises:
        ChecksFailedError: none passed; nothing was made.
    """
    found = checked(asked.seats, settings, cwd=asked.cwd, access=asked.access, say=say)
    return replace(asked, seats=found.kept, changes=[*asked.changes, *found.changes])


def checked(
    seats: Sequence[SeatPlan],
    settings: Settings,
    *,
    cwd: str,
    access: str = "read-only",
    say: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Ask each seat's CLI for one word, side by side and each of them once: one tiny call per CLI and model.

    A seat that fails is left out; its other candidates (its fallback, or those of the role when no profile was named) are
    tried in order, but only after a refusal that left nothing behind. A scripted seat and a seat with an argv of its own
    are not asked; their program must be there.

    Raises:
        ChecksFailedError: none passed.
    """
    check = _Check(settings, cwd, "write" if access == "write" else "read-only")
    attended.run(lambda: check.all(seats))
    kept: list[SeatPlan] = []
    changes: list[Mapping[str, str]] = []
    for seat in seats:
        taken, refused = check.outcome(seat)
        if taken is not None:
            kept.append(taken)
        if refused is not None:
            changes.append(_change(seat, taken, refused, kept, settings))
            say(f"{seat.slug} {changes[-1]['why']}\n  → {changes[-1]['action']}")
    if not kept:
        raise ChecksFailedError(reasons="; ".join(f"{one['seat']}: {one['why']}" for one in changes))
    return Checked(kept, changes)


class _Check:
    """The verdicts, one for every CLI, model, effort and transport."""

    def __init__(self, settings: Settings, cwd: str, access: Access) -> None:
        self._settings, self._cwd, self._access = settings, cwd, access
        self._profiles = catalog.load(settings)
        self._verdicts: dict[SeatPlan, Verdict] = {}
        self._slots = anyio.CapacityLimiter(max(2, os.cpu_count() or 2))

    async def all(self, seats: Sequence[SeatPlan]) -> None:
        """Ask what has to be asked."""
        waiting = {_same(candidates(seat)[0]) for seat in seats}
        while waiting:
            async with anyio.create_task_group() as tasks:
                for one in waiting:
                    tasks.start_soon(self._ask, one)
            nexts = (self._next(seat) for seat in seats)
            waiting = {one for one in nexts if one is not None}

    def outcome(self, seat: SeatPlan) -> tuple[SeatPlan | None, Verdict | None]:
        """Who takes the seat, None when nobody does; and why the first choice does not, None when it does."""
        refused: Verdict | None = None
        for one in candidates(seat):
            verdict = self._verdicts[_same(one)]
            if not verdict.cause:
                return one, refused
            refused = refused or verdict
            if not verdict.clean:
                break
        return None, refused

    def _next(self, seat: SeatPlan) -> SeatPlan | None:
        """The candidate of this seat that is still to be asked; None when it is settled."""
        for one in candidates(seat):
            verdict = self._verdicts.get(_same(one))
            if verdict is None:
                return _same(one)
            if not (verdict.cause and verdict.clean):
                return None
        return None

    async def _ask(self, one: SeatPlan) -> None:
        async with self._slots:
            self._verdicts[one] = await self._verdict(one)

    async def _verdict(self, one: SeatPlan) -> Verdict:
        try:
            profile = catalog.for_seat(self._profiles, _named(one))
            if not catalog.available(profile):
                return Verdict("missing", f"{profile.executable} is not installed", _install(profile))
            if one.command or not seat_check.askable(profile):
                return Verdict()
            spec = oneshot.spec_of(profile, one.model, one.effort, self._cwd, one.transport, self._access)
        except UsageError as exc:
            return Verdict("refused", str(exc).rstrip("."), exc.advice)
        try:
            return await seat_check.asked(profile, spec)
        except RoundtableError as exc:
            return seat_check.verdict(profile, exc)


def candidates(seat: SeatPlan) -> list[SeatPlan]:
    """Who may take this seat, in order: as planned, the fallback that was named, the role's others when none was chosen. Pure."""
    found = [seat]
    if seat.fallback:
        spec = catalog.parse_seat(f"{seat.slug}={seat.fallback}")
        found.append(
            replace(
                seat, profile=spec.profile, model=spec.model, effort=spec.effort, transport=spec.transport,
                command=spec.argv,
            )
        )  # fmt: skip
    found += [
        replace(seat, profile=name, model="", effort="") for name in seat.candidates if name != seat.profile
    ]
    return found


def _same(seat: SeatPlan) -> SeatPlan:
    """What tells one call from another."""
    return plan.SeatPlan(
        slug="", profile=seat.profile, model=seat.model, effort=seat.effort, transport=seat.transport,
        command=seat.command,
    )  # fmt: skip


def _named(seat: SeatPlan) -> SeatSpec:
    return SeatSpec(seat.slug, seat.profile, seat.model, seat.effort, seat.transport, seat.command)


def _install(profile: Profile) -> str:
    return profile.install or f"put {profile.executable} on PATH"


def _change(
    seat: SeatPlan,
    taken: SeatPlan | None,
    refused: Verdict,
    others: Sequence[SeatPlan],
    settings: Settings,
) -> dict[str, str]:
    if taken is None:
        action = refused.fix or f"rt seat add {seat.slug}=PROFILE"
        return {"kind": "left_out", "seat": seat.slug, "why": f"left out: {refused.reason}", "action": action}
    families = roster.families(settings)
    why = f"{wording(seat, taken, refused.reason)}{family_note(seat, taken, others, families)}"
    return {"kind": "substituted", "seat": seat.slug, "why": why, "action": refused.fix}


def wording(planned: SeatPlan, taken: SeatPlan, reason: str) -> str:
    """Who sits there instead of whom, and why. Pure."""
    names = [":".join(filter(None, (one.profile, one.model, one.effort))) for one in (taken, planned)]
    return f"substituted: {names[0]} instead of {names[1]}: {reason}"


def family_note(
    planned: SeatPlan, taken: SeatPlan, others: Sequence[SeatPlan], families: Mapping[str, str]
) -> str:
    """What a substitute does to independence: the same family as before, or one that another seat has. Pure."""
    family = families.get(taken.profile, taken.profile)
    notes = ["same family as before"] if family == families.get(planned.profile, planned.profile) else []
    twins = [
        one.slug
        for one in others
        if one.slug != taken.slug and families.get(one.profile, one.profile) == family
    ]
    notes += [f"now of one family with {', '.join(twins)}"] if twins else []
    return f" ({'; '.join(notes)})" if notes else ""

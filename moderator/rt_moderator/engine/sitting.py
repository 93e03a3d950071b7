"""Seating participants while a format runs, and what its budget allows."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import settings as configuration
from rt_config.errors import RoundtableError, SeatExistsError
from rt_mailbox import tables
from rt_moderator import roster, seating

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rt_mailbox.door import Reply
    from rt_moderator.engine.commands import Budget, Sit
    from rt_moderator.engine.desk import Desk


def first(snapshot: Reply) -> list[dict[str, Any]]:
    """The seats as a format sees them, from a snapshot; those that were dropped are none."""
    settings = configuration.load(Path(snapshot["table"]["cwd"]) if snapshot["table"].get("cwd") else None)
    families = roster.families(settings)
    return [_seen(seat, families) for seat in snapshot["seats"] if seat["state"] != "dropped"]


def _seen(seat: Mapping[str, Any], families: Mapping[str, str]) -> dict[str, Any]:
    names = ("slug", "name", "role", "viewpoint", "profile", "model", "fallback")
    profile = seat.get("profile", "")
    return {name: seat.get(name, "") for name in names} | {"family": families.get(profile, profile)}


def sit(desk: Desk, command: Sit) -> Any:
    """The seats as a format sees them; the host gives them their sessions."""
    if desk.begun(command) is None:
        desk.begin(command, "sit", seats=[asdict(seat) for seat in command.seats])
    if (found := desk.line(f"{command.name}.done")) is None:
        about = desk.about
        settings = configuration.load(Path(about["cwd"]))
        families = roster.families(settings)
        made, missing = [], []
        for one in command.seats:
            try:
                seat = roster.completed([one], settings)[0]
                fields = roster.seat_fields(
                    desk.table, seat, settings, cwd=about["cwd"], access=about["access"]
                )
            except RoundtableError as exc:
                missing.append({"seat": one.slug, "why": str(exc), "action": exc.advice})
                continue
            fields |= {"token_sha": seating.token(desk.table, seat.slug, desk.door.url), "native_ready": "0"}
            with suppress(SeatExistsError):
                tables.add_seat(desk.door, desk.table, desk.group, fields)
            made.append(_seen(fields, families))
        found = desk.put(
            f"{command.name}.done", {"seats": made, "missing": missing}, "sat", {"missing": missing}
        )
        desk.snapshot = (
            tables.snapshot(desk.door, desk.table) or desk.snapshot
        )  # with those who just sat down
    return found["seats"]


def budget(desk: Desk, command: Budget) -> Any:
    """Why no further step may be asked, or ''; minutes count while a turn was open, money as far as CLIs name it."""
    if (begun := desk.begun(command)) is not None:
        return begun["value"]
    minutes = _seconds(desk.lines()) / 60
    spent = _spent(desk)
    why = ""
    limits = {
        name: float(desk.about.get(name) or getattr(desk.options, name) or own)
        for name, own in (("budget_min", command.minutes), ("budget_usd", 0))
    }
    if limits["budget_min"] and minutes >= limits["budget_min"]:
        why = f"budget_min: {minutes:.1f} of {limits['budget_min']:g} minutes are used"
    elif limits["budget_usd"] and spent >= limits["budget_usd"]:
        why = f"budget_usd: ${spent:.2f} of ${limits['budget_usd']:g} are spent"
    line = {"n": desk.number, "kind": command.kind, "value": why, "minutes": round(minutes, 3), "usd": spent}
    return desk.put(command.name, line, "budget", {"value": why})["value"]


def _seconds(lines: Mapping[str, Any]) -> float:
    """How long steps took; a step takes as long as its slowest seat."""
    done = [line for name, line in lines.items() if name.endswith(".done") and isinstance(line, dict)]
    return sum(float(line.get("seconds", 0)) for line in done)


def _spent(desk: Desk) -> float:
    """US dollars of seats and jobs."""
    seats = [json.loads(seat.get("usage") or "{}") for seat in desk.snapshot["seats"]]
    jobs = [job["usage"] for line in desk.lines().values() if isinstance(line, list) for job in line]
    return round(sum(float(one.get("cost_usd", 0)) for one in [*seats, *jobs]), 6)

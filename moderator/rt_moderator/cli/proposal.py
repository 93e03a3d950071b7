"""The plan of a table before it exists: shown as a table, confirmed, edited."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rt_config import env
from rt_config.errors import ConfirmationNeededError
from rt_moderator import prices
from rt_moderator.cli import common
from rt_moderator.cli.base import emit, progress, terminal
from rt_moderator.words import cells, grid, hung

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.plan import SeatPlan
    from rt_moderator.starting import Request

_WIDTH = 120  # where there is no terminal


def plan_text(seats: Any, shared: dict[str, str], settings: Settings, note: str = "") -> str:
    """The plan as a table: seat, role, viewpoint, what it runs on; below it what a step costs, as far as that is known."""
    seats = shown(seats, settings)
    rows = [("seat", "role", "looks at it from", "runs on")]
    for seat in seats:
        runs = " ".join(filter(None, (seat.profile, seat.model, seat.effort, seat.transport)))
        same = f"   same family as {shared[seat.slug]}" if seat.slug in shared else ""
        rows.append((seat.slug, seat.role, seat.viewpoint, runs + same))
    lines = grid(rows)
    width = common.width() or _WIDTH
    if max(map(cells, lines)) > width:  # what a seat looks at, below it
        lines = grid([(slug, role, runs) for slug, role, _, runs in rows])
        below = [[hung("      ", view, width)] if view else [] for _, _, view, _ in rows[1:]]
        lines = [
            lines[0],
            *chain.from_iterable([line, *more] for line, more in zip(lines[1:], below, strict=True)),
        ]
    families = len(seats) - len(shared)
    many = _many(len(seats), "seat") + (f", {families} families" if families > 1 else "")
    price = prices.line(prices.estimate(seats, prices.known(Path(env.home()))))
    head, foot = f"{many} (no table exists yet):", f"  {_many(len(seats), 'call')} a step. {price}".rstrip()
    return "\n".join(filter(None, [head, "\n".join(["", *lines, ""]), foot, note]))


def shown(seats: Any, settings: Settings) -> list[SeatPlan]:
    """The seats with the transport that each would get."""
    from dataclasses import replace

    from rt_config import profiles as catalog

    known = catalog.load(settings)
    default = {name: profile.default_transport for name, profile in known.items()}
    return [replace(seat, transport=seat.transport or default.get(seat.profile, "")) for seat in seats]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def confirmed(
    request: Request, shared: dict[str, str], settings: Settings, what: str, *, missing_ok: bool = False
) -> Request:
    """The request after start / edit / cancel, before anything exists (S4.10, S1.7).

    Raises:
        ConfirmationNeededError: there is no terminal; the plan was shown. click.Abort: cancelled.
    """
    from dataclasses import replace

    from rt_moderator import plan, roster

    note = roster.note(settings)
    text = plan_text(request.seats, shared, settings, note)
    if not terminal():
        progress(text)
        raise ConfirmationNeededError(what=what)
    while True:
        emit(text)
        answer = click.prompt("Start it?", type=click.Choice(["y", "n", "edit"]), default="y", err=True)
        if answer == "n":
            raise click.Abort
        if answer == "y":
            return request
        edited = click.edit(_seats_toml(request.seats), extension=".toml")
        if edited is not None:
            seats = roster.completed(plan.checked(_from_text(edited)), settings, missing_ok=missing_ok)
            request = replace(request, seats=seats)
            text = plan_text(seats, plan.same_family(seats, roster.families(settings)), settings, note)


def _seats_toml(seats: Any) -> str:
    import json

    keys = ("slug", "name", "role", "viewpoint", "profile", "model", "effort")
    blocks = [
        "\n".join(["[[seat]]", *(f"{k} = {json.dumps(getattr(s, k))}" for k in keys if getattr(s, k))])
        for s in seats
    ]
    return "# One [[seat]] each; save and close to go on.\n\n" + "\n\n".join(blocks) + "\n"


def _from_text(text: str) -> list[SeatPlan]:
    import tempfile

    from rt_moderator import roster

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "seats.toml")
        path.write_text(text, encoding="utf-8")
        return roster.from_file(path)

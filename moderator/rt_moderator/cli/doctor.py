"""doctor: is everything here that rt stands on, and what can a crash of this bus lose?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import colour, command, emit, emit_json, progress

if TYPE_CHECKING:
    from rt_moderator.doctor import Finding

_MARKS = {"ok": ("ok", "green"), "warn": ("WARN", "yellow"), "fail": ("FAIL", "red")}


@command("doctor", example="rt doctor")
def doctor(as_json: bool) -> int:
    """Check the bus and this machine, and say how to fix what is wrong. Changes nothing; exit 1 when something fails."""
    from rt_config import settings
    from rt_moderator import doctor as library

    found = library.examine(settings.load(Path.cwd()), progress)
    failed = library.failed(found)
    if as_json:
        emit_json({"ok": not failed, "findings": [asdict(one) for one in found]})
    else:
        emit("\n".join(line for one in found for line in _lines(one)))
    return int(failed)


def _lines(one: Finding) -> list[str]:
    from rt_participant.show import line

    mark, tone = _MARKS[one.level]
    shown = click.style(f"{mark:<4}", fg=tone) if colour() else f"{mark:<4}"
    first = f"  {shown}  {one.check:<10}  {line(one.text, 400)}"
    return [first, *([f"                    → {line(one.fix, 400)}"] if one.fix else [])]

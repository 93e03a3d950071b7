"""doctor: is everything here that rt stands on, do the agent CLIs answer, and what can a crash of this bus lose?"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import colour, command, emit, emit_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rt_moderator.finding import Finding

_MARKS = {"ok": ("ok", "green"), "warn": ("WARN", "yellow"), "fail": ("FAIL", "red")}


@command("doctor", example="rt doctor        rt doctor --no-prompt --json")
@click.option(
    "--prompt/--no-prompt",
    default=True,
    show_default=True,
    help="Ask every installed agent CLI for one word: that is how a missing login shows.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="For each answer.",
)
def doctor(as_json: bool, prompt: bool, timeout: float) -> int:
    """Check the bus, this machine and the agent CLIs, and say how to fix what is wrong. Exit 1 when something fails.

    Changes nothing. Costs one tiny call per installed agent CLI (none with --no-prompt).
    """
    from rt_config import settings
    from rt_config.errors import RoundtableError
    from rt_moderator import checks_profiles
    from rt_moderator import doctor as library
    from rt_moderator.finding import Finding

    known = settings.load(Path.cwd())
    looked = library.parts()
    extra: list[Finding] = []
    try:
        looked |= checks_profiles.parts(known, prompt=prompt, timeout_s=timeout)
    except RoundtableError as exc:  # a profile that does not read must not hide the rest
        extra = [Finding("profiles", "fail", str(exc), exc.advice)]
    with _told() as say:
        found = [*library.examine(known, say, looked), *extra]
    failed = library.failed(found)
    if as_json:
        emit_json({"ok": not failed, "findings": [asdict(one) for one in found]})
    else:
        emit("\n".join(line for one in found for line in _lines(one)))
    return int(failed)


@contextmanager
def _told() -> Iterator[Callable[[str], None]]:
    """What is still looked at: one line that changes on a terminal, else a line each time it changes."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("looking …") as status:
            yield lambda text: status.update(Text(text))
        return
    said: list[str] = []

    def once(text: str) -> None:
        if text not in said[-1:]:
            said.append(text)
            progress(text)

    yield once


def _lines(one: Finding) -> list[str]:
    from rt_participant.show import line

    mark, tone = _MARKS[one.level]
    shown = click.style(f"{mark:<4}", fg=tone) if colour() else f"{mark:<4}"
    first = f"  {shown}  {one.check:<11}  {line(one.text, 400)}"
    return [first, *([f"                     → {line(one.fix, 400)}"] if one.fix else [])]

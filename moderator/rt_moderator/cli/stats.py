"""stats: all runs in numbers."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, progress


@command("stats", example="rt stats\n  rt stats --format debate --since 30\n  rt stats --json")
@click.option("--format", "format_", default="", metavar="F", help="Only runs of this format.")
@click.option(
    "--since",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    metavar="DAYS",
    help="Only runs of the last DAYS.",
)
def stats(format_: str, since: float | None, as_json: bool) -> int:
    """Sum up all runs: how many, how long, how much consensus, how often degraded, what they cost. Needs no server.

    A run is a table whose format has concluded; tables without a format are not counted. The lines are in
    RT_HOME/scorecard.jsonl.
    """
    import time
    from pathlib import Path

    from rt_config import env
    from rt_moderator import stats as numbers
    from rt_moderator.formats import MODULES

    if format_ and format_ not in MODULES:
        msg = f"{format_!r} is no format that runs; there are {', '.join(MODULES)}"
        raise click.UsageError(msg)
    runs, damaged = numbers.read(Path(env.home()) / "scorecard.jsonl")
    found = numbers.stats(numbers.chosen(runs, format_=format_, days=since, now=time.time()), damaged)
    if as_json:
        emit_json(found)
    elif found["tables"]:
        emit("\n".join(numbers.screen(found)))
    else:
        emit('no run yet. rt run "your topic"' if not runs else f"none of {len(runs)} runs is meant by that.")
        if damaged:
            progress(numbers.damage(damaged))
    return 0

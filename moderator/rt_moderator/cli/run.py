"""run: a whole discussion from topic to report, without attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli import laying, proposal, role_making
from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress
from rt_moderator.cli.table_options import format_options, table_options
from rt_moderator.formats import MODULES

if TYPE_CHECKING:
    from rt_moderator.launching import Launched
    from rt_moderator.shell import Shell
    from rt_moderator.starting import Request

MODES = ("debate", "build", "redteam", "vote")


def _modes(function: Any) -> Any:
    for name in reversed(MODES):
        text = f"The {name} panel and its roles; without any the topic decides."
        function = click.option(f"--{name}", f"is_{name}", is_flag=True, help=text)(function)
    return function


@command("run", example='rt run "Should we move billing to event sourcing?" --rounds 2 --out review')
@click.argument("topic")
@table_options
@click.option("--format", "format_", type=click.Choice(tuple(MODULES)), default=None, help="The procedure; default: auto, which chooses.")  # fmt: skip
@_modes
@format_options
@click.option("--events", is_flag=True, help="With --json: every event as a line on stderr while it runs.")
def run(topic: str, as_json: bool, **options: Any) -> int:
    """Run a discussion on TOPIC (- reads it from stdin) from question to report. Ctrl-C leaves it; rt resume goes on."""
    from rt_moderator import arranging, plan, roster

    settings = laying.load_settings(options)
    chosen = [name for name in MODES if options[f"is_{name}"]]
    if len(chosen) > 1:
        msg = f"--{chosen[0]} and --{chosen[1]} cannot both be"
        raise click.UsageError(msg)
    wish = laying.wish_of(laying.topic_of(topic), settings, options, run=True, mode="".join(chosen))
    found = arranging.arranged(wish, settings)
    request, said = role_making.with_roles(found.request, options)
    shared = plan.same_family(request.seats, roster.families(settings))
    warnings = [*found.warnings, *said]
    if options["dry_run"]:
        return laying.show_plan(request, shared, warnings, settings, as_json=as_json)
    for warning in warnings:
        progress(f"! {warning}")
    if options["auto_roles"] and not (options["yes"] or as_json):
        request = proposal.confirmed(request, shared, settings, "rt run --roles auto", missing_ok=True)
    # Nobody is asked about waking: who follows a run sees it, and a run needs no attention. --wake here still holds.
    waking = {**options, "wake": options["wake"] or "none"}
    return _run(laying.with_wake(request, waking), options, as_json=as_json)


def _run(request: Request, options: dict[str, Any], *, as_json: bool) -> int:
    from pathlib import Path

    from rt_deck.sessions import Deck
    from rt_moderator import checking, files, launching, starting

    shell = open_shell()
    request = laying.with_prior(shell, request, options["context_from"])
    if options["out"]:
        files.check_out(Path(options["out"]).absolute())

    def prepare(planned: Request) -> Request:
        return checking.request(planned, shell.settings, progress) if planned.seats else planned

    found = launching.launch(shell, Deck(), request, new=options["new"], prepare=prepare)
    if options["detach"]:
        emit_json(starting.started_json(found.snapshot, duplicate=found.duplicate)) if as_json else emit(
            found.table
        )
        return 0
    return _follow(shell, found, options, as_json=as_json)


def _follow(shell: Shell, found: Launched, options: dict[str, Any], *, as_json: bool) -> int:
    from rt_moderator import hosting
    from rt_moderator.cli import attending

    if found.duplicate:
        progress(f"{found.table} is at work on this topic already; following it (--new makes another)")
        hosting.ensure(shell, found.table)
    how = attending.How(
        as_json=as_json, events=options["events"], asks=not options["yes"], require=bool(options["require_consensus"])
    )  # fmt: skip
    return attending.attend(shell, found.table, how)

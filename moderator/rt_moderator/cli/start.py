"""start: propose or take seats, ask, lay the table, seat everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli import laying, proposal, role_making
from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress
from rt_moderator.cli.table_options import format_options, table_options
from rt_moderator.formats import NAMES

if TYPE_CHECKING:
    from rt_moderator.launching import Launched
    from rt_moderator.starting import Request

_READY_SECONDS = 20.0


@command(
    "start", example='rt start "Should we move billing to event sourcing?" --goal "a decision we can defend"'
)
@click.argument("topic")
@table_options
@click.option(
    "--format",
    "format_",
    type=click.Choice(NAMES),
    default="open",
    show_default=True,
    help="The procedure; open: you ask.",
)
@format_options
def start(topic: str, as_json: bool, **options: Any) -> int:
    """Start a roundtable on TOPIC (- reads it from stdin)."""
    from rt_moderator import arranging, checking, plan, roster

    settings = laying.load_settings(options)
    wish = laying.wish_of(laying.topic_of(topic), settings, options, run=False)
    found = arranging.arranged(wish, settings)
    request, said = role_making.with_roles(found.request, options)
    warnings = [*found.warnings, *said]
    if options["dry_run"] and options["check"]:
        request = checking.request(request, settings, progress)
    shared = plan.same_family(request.seats, roster.families(settings))
    if options["dry_run"]:
        return laying.show_plan(request, shared, warnings, settings, as_json=as_json)
    for warning in warnings:
        progress(f"! {warning}")
    chosen = (options["seats"] or options["seats_file"]) and not options["auto_roles"]
    if not (options["yes"] or as_json or chosen):
        what = "rt start --roles auto" if options["auto_roles"] else "rt start without --seat"
        request = proposal.confirmed(request, shared, settings, what, missing_ok=options["check"])
    return _run(laying.with_wake(request, options), options, as_json=as_json)


def _run(request: Request, options: dict[str, Any], *, as_json: bool) -> int:
    from rt_deck.sessions import Deck
    from rt_moderator import checking, launching, starting

    quiet = as_json or options["detach"]
    shell = open_shell()
    request = laying.with_prior(shell, request, options["context_from"])

    def prepare(planned: Request) -> Request:
        return checking.request(planned, shell.settings, progress) if options["check"] else planned

    found = launching.launch(shell, Deck(), request, new=options["new"], prepare=prepare)
    if found.duplicate:
        return _reused(found, as_json=as_json)
    table = found.table
    if options["detach"]:
        emit_json(starting.started_json(found.snapshot, duplicate=False)) if as_json else emit(table)
        return 0
    _await_seats(shell, table, quiet=quiet)
    snapshot = shell.snapshot(table)
    if as_json:
        emit_json(starting.started_json(snapshot, duplicate=False))
        return 0
    emit(
        f"{table} is open.\n  rt wait && rt drain     read the answers        rt attach     sit beside them        rt web     follow on a page"
    )
    return 0


def _reused(found: Launched, *, as_json: bool) -> int:
    from rt_moderator import starting

    if as_json:
        emit_json(starting.started_json(found.snapshot, duplicate=True))
    else:
        emit(f"{found.table} is open on this topic already; it goes on (a note says so). Another one: --new")
    return 0


def _await_seats(shell: Any, table: str, *, quiet: bool) -> None:
    """Wait until every seat has taken its first turn or cannot, showing which; what becomes of those is the host's business."""
    from rt_mailbox import waiting
    from rt_moderator import starting

    shown: set[str] = set()

    def all_ready() -> bool:
        snapshot = shell.snapshot(table)
        state = starting.ready(snapshot)
        stuck = {seat["slug"] for seat in snapshot["seats"] if seat["state"] in ("blocked", "dropped")}
        for slug, word in state.items():
            if slug not in shown and (word == "ready" or slug in stuck):
                shown.add(slug)
                if not quiet:
                    how = "ready" if word == "ready" else f"cannot answer: {word} (rt attach {slug})"
                    progress(f"  {slug} {how}")
        return len(shown) == len(state)

    watch = waiting.Watch(shell.door, table, "events")
    if not waiting.until(watch, all_ready, _READY_SECONDS) and not quiet:
        missing = [slug for slug in starting.ready(shell.snapshot(table)) if slug not in shown]
        progress(f"  not ready yet: {', '.join(missing)} (rt status)")

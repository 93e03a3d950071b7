"""start: propose or take seats, ask, lay the table, seat everybody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rt_config.errors import BadConfigError, EmptyBodyError
from rt_moderator.cli import proposal
from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress, terminal, text_argument

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.launching import Launched
    from rt_moderator.plan import SeatPlan
    from rt_moderator.starting import Request

_READY_SECONDS = 20.0


@command(
    "start", example='rt start "Should we move billing to event sourcing?" --goal "a decision we can defend"'
)
@click.argument("topic")
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT]",
    help="A seat; or SLUG=!argv.",
)
@click.option(
    "--seats", "seats_file", type=click.Path(dir_okay=False, path_type=Path), help="Seats from a TOML file."
)
@click.option("--role", "roles", multiple=True, metavar="SLUG=TEXT", help="What a seat stands for.")
@click.option(
    "--viewpoint", "viewpoints", multiple=True, metavar="SLUG=TEXT", help="Where a seat looks from."
)
@click.option(
    "--skip", multiple=True, metavar="NAME", help="Leave out a seat or a profile of the proposed five."
)
@click.option("--goal", default="", help="What the discussion is for.")
@click.option("--audience", default="", help="Who the result is for.")
@click.option("--constraint", default="", help="What must hold.")
@click.option("--stop-when", default="", help="When it is done; shown after each synthesis.")
@click.option(
    "--context",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Material for the opening message.",
)
@click.option(
    "--context-from",
    default="",
    metavar="ID",
    help="The latest synthesis of another table, as prior context.",
)
@click.option("--format", "format_", type=click.Choice(["open"]), default="open", show_default=True)
@click.option("--cwd", default=".", metavar="DIR", help="Where the agents work; default: here.")
@click.option("--access", type=click.Choice(["read-only", "write"]), default="read-only", show_default=True)
@click.option(
    "--transport", type=click.Choice(["auto", "tui", "headless", "acp"]), default="auto", show_default=True
)
@click.option(
    "--turn-timeout", type=click.FloatRange(1), default=None, metavar="SECONDS", help="Per turn; default 600."
)
@click.option(
    "--wake",
    type=click.Choice(["here", "none"]),
    default=None,
    help="May this tmux pane be woken when answers came?",
)
@click.option("--wake-on", default="all-replied", show_default=True, metavar="each|all-replied|quiet:SECONDS")
@click.option(
    "--check",
    is_flag=True,
    help="Ask every CLI for one word first (one tiny call each); a seat that fails is left out.",
)
@click.option("--new", is_flag=True, help="A new table even when one of this topic is open.")
@click.option("--dry-run", is_flag=True, help="Show the plan, make nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--detach", is_flag=True, help="Do not wait for the seats; print the id.")
def start(topic: str, as_json: bool, **options: Any) -> int:
    """Start a roundtable on TOPIC (- reads it from stdin)."""
    from rt_config import settings as configuration

    settings = configuration.load(Path.cwd(), turn_timeout_seconds=options["turn_timeout"])
    request = _request(_topic(topic), settings, options)
    from rt_moderator import checking, plan, roster

    if options["dry_run"] and options["check"]:
        request = checking.request(request, settings, progress)
    shared = plan.same_family(request.seats, roster.families(settings))
    if options["dry_run"]:
        return _show_plan(request, shared, as_json=as_json)
    if not (options["yes"] or as_json or options["seats"] or options["seats_file"]):
        request = proposal.confirmed(request, shared, settings, missing_ok=options["check"])
    if request.fields["wake_pane"]:
        request = replace(request, fields={**request.fields, "wake": _wake(options)})
    return _run(request, options, as_json=as_json)


def _topic(given: str) -> str:
    topic = text_argument(given)
    if not topic.strip():
        raise EmptyBodyError
    return topic.strip()


def _request(topic: str, settings: Settings, options: dict[str, Any]) -> Request:
    from rt_deck.nudge import caller_pane
    from rt_moderator import plan, roster
    from rt_moderator.starting import Request

    seats = [
        *(roster.from_file(options["seats_file"]) if options["seats_file"] else ()),
        *roster.from_options(options["seats"]),
    ]
    if not seats:
        seats = _without(roster.proposed(settings), options["skip"])
    seats = plan.with_texts(
        seats, _texts("role", options["roles"]), _texts("viewpoint", options["viewpoints"])
    )
    if options["transport"] != "auto":
        seats = [replace(seat, transport=seat.transport or options["transport"]) for seat in seats]
    fields = {name: options[name] for name in ("goal", "audience", "constraint", "stop_when")}
    fields |= {"turn_timeout": str(settings.turn_timeout_seconds), "wake_on": _wake_on(options["wake_on"])}
    pane = caller_pane()
    fields |= {"wake": "none", "wake_tmux": pane[0] if pane else "", "wake_pane": pane[1] if pane else ""}
    context = options["context"].read_text(encoding="utf-8", errors="replace") if options["context"] else ""
    return Request(
        topic=topic, seats=roster.completed(plan.checked(seats), settings, missing_ok=options["check"]), fields=fields,
        context=context, cwd=str(Path(options["cwd"]).absolute()), access=options["access"], format=options["format_"],
    )  # fmt: skip


def _without(seats: list[SeatPlan], skip: tuple[str, ...]) -> list[SeatPlan]:
    known = {name for seat in seats for name in (seat.slug, seat.profile)}
    for name in skip:
        if name not in known:
            raise BadConfigError(where=f"--skip {name}", reason=f"proposed are: {', '.join(sorted(known))}")
    return [seat for seat in seats if not {seat.slug, seat.profile} & set(skip)]


def _texts(option: str, values: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for value in values:
        slug, equals, text = value.partition("=")
        if not equals or not text.strip():
            raise BadConfigError(where=f"--{option} {value}", reason="write SLUG=TEXT")
        found[slug] = text.strip()
    return found


def _wake_on(given: str) -> str:
    policy, _, seconds = given.partition(":")
    if policy not in ("each", "all-replied", "quiet") or (seconds and not seconds.isdigit()):
        raise BadConfigError(where=f"--wake-on {given}", reason="each, all-replied or quiet:SECONDS")
    return given


def _wake(options: dict[str, Any]) -> str:
    """Here only when it was allowed: by the option, or by the person, who is asked once."""
    if options["wake"] is not None:
        return str(options["wake"])
    if options["yes"] or not terminal():
        return "none"
    question = "May this pane be woken (one line typed) when answers came?"
    return "here" if click.confirm(question, default=True, err=True) else "none"


def _show_plan(request: Request, shared: dict[str, str], *, as_json: bool) -> int:
    from rt_moderator import starting

    if as_json:
        seats = starting.plan_json(request, shared)
        emit_json(
            {
                "topic": request.topic,
                "format": request.format,
                "seats": seats,
                "calls_per_step": len(seats),
                "left_out": [dict(one) for one in request.changes],
            }
        )
    else:
        emit(proposal.plan_text(request.seats, shared) + "\nNothing was made (--dry-run).")
    return 0


def _run(request: Request, options: dict[str, Any], *, as_json: bool) -> int:
    from rt_deck.sessions import Deck
    from rt_moderator import checking, launching, starting

    quiet = as_json or options["detach"]
    shell = open_shell()
    request = _with_prior(shell, request, options["context_from"])

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
        f"{table} is open.\n  rt wait && rt drain     read the answers        rt attach     sit beside them        rt status"
    )
    return 0


def _with_prior(shell: Any, request: Request, table: str) -> Request:
    """The request with another table's latest synthesis as labelled context; a missing one is a warning (S0.7)."""
    if not table:
        return request
    from rt_mailbox import records, tables
    from rt_mailbox.addresses import group_of

    found = tables.snapshot(shell.door, table, 1)
    seq = int(found["table"].get("synthesis") or 0) if found else 0
    prior = records.one(shell.door, table, group_of(table), seq) if seq else None
    if prior is None:
        progress(f"no synthesis of {table} was found; going on without it")
        return request
    text = f"Prior roundtable {table}, its latest synthesis:\n\n{prior['body']}"
    return replace(request, context="\n\n".join(filter(None, (text, request.context))))


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
                    progress(
                        f"  {slug} {'ready' if word == 'ready' else f'cannot answer: {word} (rt attach {slug})'}"
                    )
        return len(shown) == len(state)

    watch = waiting.Watch(shell.door, table, "events")
    if not waiting.until(watch, all_ready, _READY_SECONDS) and not quiet:
        missing = [slug for slug in starting.ready(shell.snapshot(table)) if slug not in shown]
        progress(f"  not ready yet: {', '.join(missing)} (rt status)")

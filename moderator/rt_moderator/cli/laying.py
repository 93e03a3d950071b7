"""What `start` and `run` do alike: read their options, show a plan, lay the table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rt_config.errors import BadConfigError, EmptyBodyError
from rt_moderator.cli import proposal
from rt_moderator.cli.base import emit, emit_json, progress, terminal, text_argument
from rt_moderator.cli.table_options import FORMAT_NAMES

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.shell import Shell
    from rt_moderator.starting import Request
    from rt_moderator.wish import Wish


def load_settings(options: dict[str, Any]) -> Settings:
    """The settings with what was given by flag."""
    from rt_config import settings as configuration

    flags = {
        "turn_timeout_seconds": options["turn_timeout"],
        "drain_timeout_seconds": options.get("drain_timeout"),
        "kill_grace_seconds": options.get("kill_grace"),
    }
    return configuration.load(
        Path.cwd(), **{name: value for name, value in flags.items() if value is not None}
    )


def topic_of(given: str) -> str:
    """The topic; `-` is stdin.

    Raises:
        EmptyBodyError.
    """
    topic = text_argument(given)
    if not topic.strip():
        raise EmptyBodyError
    return topic.strip()


def wish_of(topic: str, settings: Settings, options: dict[str, Any], *, run: bool, mode: str = "") -> Wish:
    """What was asked for, as the library takes it.

    Raises:
        BadConfigError: an option that does not read as one.
    """
    from rt_deck.nudge import caller_pane
    from rt_moderator import roster
    from rt_moderator.wish import Wish

    seats = [
        *(roster.from_file(options["seats_file"]) if options["seats_file"] else ()),
        *roster.from_options(options["seats"]),
    ]
    fields = {name: options[name] for name in ("goal", "audience", "constraint", "stop_when")}
    fields |= {"turn_timeout": str(settings.turn_timeout_seconds), "wake_on": _wake_on(options["wake_on"])}
    pane = caller_pane()
    fields |= {"wake": "none", "wake_tmux": pane[0] if pane else "", "wake_pane": pane[1] if pane else ""}
    context = options["context"].read_text(encoding="utf-8", errors="replace") if options["context"] else ""
    fields["context_paths"] = str(options["context"].absolute()) if options["context"] else ""
    return Wish(
        topic=topic, format=options["format_"] or "", mode=mode, seats=seats, panel=options["panel"], skip=options["skip"],
        roles=_texts("role", options["roles"]), viewpoints=_texts("viewpoint", options["viewpoints"]),
        transport=options["transport"], fields=fields, options=_format_values(options), context=context,
        cwd=str(Path(options["cwd"]).absolute()), access=options["access"], run=run, check=run or options.get("check", False),
    )  # fmt: skip


def _format_values(options: dict[str, Any]) -> dict[str, Any]:
    found = {name: options.get(name) for name in FORMAT_NAMES}
    found["turn_timeout"] = options["turn_timeout"]
    if found["brief"]:
        found["brief"] = found["brief"].read_text(encoding="utf-8", errors="replace")
    if found["out"]:
        found["out"] = str(Path(found["out"]).absolute())
    if found["lenses"]:
        found["lenses"] = tuple(lens.strip() for lens in found["lenses"].split(",") if lens.strip())
    return found


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


def with_wake(request: Request, options: dict[str, Any]) -> Request:
    """Waking only when it was allowed: by the option, or by the person, who is asked once."""
    if not request.fields["wake_pane"]:
        return request
    wake = options["wake"]
    if wake is None:
        wake = "none"
        if terminal() and not options["yes"]:
            question = "May this pane be woken (one line typed) when answers came?"
            wake = "here" if click.confirm(question, default=True, err=True) else "none"
    return replace(request, fields={**request.fields, "wake": wake})


def show_plan(
    request: Request, shared: dict[str, str], warnings: Any, settings: Settings, *, as_json: bool
) -> int:
    """The plan, for --dry-run."""
    from rt_config import env
    from rt_moderator import formats, prices, starting

    request = replace(request, seats=proposal.shown(request.seats, settings))
    calls = formats.calls(request.format, len(request.seats), request.options)
    if as_json:
        seats = starting.plan_json(request, shared)
        cost = prices.estimate(request.seats, prices.known(Path(env.home())))
        emit_json(
            {"topic": request.topic, "format": request.format, "mode": request.mode or None, "seats": seats,
             "calls_per_step": len(seats), "calls_at_most": calls[0] if calls else None, "left_out": [dict(one) for one in request.changes],
             "warnings": list(warnings), **cost}
        )  # fmt: skip
    else:
        for warning in warnings:
            progress(f"! {warning}")
        whole = f"\n  at most {calls[0]} calls in all: {calls[1]}" if calls else ""
        emit(proposal.plan_text(request.seats, shared, settings) + whole + "\nNothing was made (--dry-run).")
    return 0


def with_prior(shell: Shell, request: Request, table: str) -> Request:
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
    if request.options:
        request = replace(request, options=json.dumps(json.loads(request.options) | {"prior": text}))
    return replace(request, context="\n\n".join(filter(None, (text, request.context))))

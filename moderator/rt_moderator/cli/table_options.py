"""The options that `start` and `run` share: who sits, what it is about, and what a format takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

Function = Callable[..., Any]
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_SEATS = [
    click.option("--seat", "seats", multiple=True, metavar="SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT]", help="A seat; or SLUG=!argv."),
    click.option("--seats", "seats_file", type=click.Path(dir_okay=False, path_type=Path), help="Seats from a TOML file."),
    click.option("--role", "roles", multiple=True, metavar="SLUG=TEXT", help="What a seat stands for."),
    click.option("--viewpoint", "viewpoints", multiple=True, metavar="SLUG=TEXT", help="Where a seat looks from."),
    click.option("--roles", "auto_roles", type=click.Choice(["auto"]), default=None, help="Have the moderator's model propose roles."),
    click.option("--panel", default="", metavar="LIST|NAME", help="Seats by PROFILE[:MODEL],… or a name of panels.toml (`--format panel` is a format)."),
    click.option("--skip", multiple=True, metavar="NAME", help="Leave out a proposed seat, CLI or model."),
]  # fmt: skip
_ABOUT = [
    click.option("--goal", default="", help="What the discussion is for."),
    click.option("--audience", default="", help="Who the result is for."),
    click.option("--constraint", default="", help="What must hold."),
    click.option("--stop-when", default="", help="When it is done; shown after each synthesis."),
    click.option("--context", type=_FILE, help="Material that is given with the question."),
    click.option("--context-from", default="", metavar="ID", help="The latest synthesis of another table, as prior context."),
    click.option("--cwd", default=".", metavar="DIR", help="Where the agents work; default: here."),
    click.option("--access", type=click.Choice(["read-only", "write"]), default="read-only", show_default=True),
    click.option("--transport", type=click.Choice(["auto", "tui", "headless", "acp"]), default="auto", show_default=True,
                 help="tui: the agent's own screen; headless: a call a turn; acp: a live session; auto: what the profile says."),
    click.option("--turn-timeout", type=click.FloatRange(1), default=None, metavar="SECONDS", help="Per turn; default 600, audits 900."),
    click.option("--wake", type=click.Choice(["here", "none"]), default=None, help="May this tmux pane be woken when answers came?"),
    click.option("--wake-on", default="all-replied", show_default=True, metavar="each|all-replied|quiet:SECONDS"),
    click.option("--check", is_flag=True, help="Ask every CLI for one word first (one tiny call each); a seat that fails is left out. `rt run` always does."),
    click.option("--new", is_flag=True, help="A new table even when one of this topic is open."),
    click.option("--dry-run", is_flag=True, help="Show the plan, make nothing."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option("--detach", is_flag=True, help="Do not wait; print the id."),
]  # fmt: skip
# Their names are those of engine.options.Options where a format takes them; None and () mean not given.
_FORMAT = [
    click.option("--quick", is_flag=True, default=None, help="Three seats, one round, a synthesis."),
    click.option("--validate", is_flag=True, default=None, help="Have the seats check the synthesis."),
    click.option("--no-search", "search", is_flag=True, flag_value=False, default=None, help="Do not look anything up."),
    click.option("--rounds", type=click.IntRange(0, 20), default=None, help="At most so many; debate 2, audits 3, interpret 5."),
    click.option("--min-rounds", type=click.IntRange(1, 20), default=None, help="No consensus before (audits: 2)."),
    click.option("--budget-min", type=click.FloatRange(min=0, min_open=True), default=None, help="Minutes of answering; audits 60."),
    click.option("--budget-usd", type=click.FloatRange(min=0, min_open=True), default=None, help="Dollars, where CLIs name them."),
    click.option("--mode", "steering", type=click.Choice(["active", "auto"]), default=None, help="active: stop after every round."),
    click.option("--no-veto", "veto", is_flag=True, flag_value=False, default=None, help="No round of objections over an audit's draft."),
    click.option("--dissent", type=click.Choice(["low", "medium", "high"]), default=None, help="How much the contrarian pushes."),
    click.option("--named", is_flag=True, default=None, help="Seats see each other's names."),
    click.option("--moderator", default=None, metavar="PROFILE[:MODEL]", help="Who writes questions and syntheses of a run."),
    click.option("--host-seat", default=None, metavar="PROFILE[:MODEL]", help="One more seat of the moderator's family, blinded (table)."),
    click.option("--target", default=None, metavar="DIR", help="What an audit is about; default: the working folder."),
    click.option("--base", default=None, metavar="REF", help="Audit the difference from this git reference."),
    click.option("--brief", type=_FILE, default=None, help="An audit's brief."),
    click.option("--lenses", default=None, metavar="A,B", help="What the seats of `roles` look for."),
    click.option("--out", default=None, metavar="DIR", help="Copies of the results in this folder."),
    click.option("--on-deadlock", type=click.Choice(["wait", "stop"]), default=None, help="wait: a person decides (default)."),
    click.option("--require-consensus", is_flag=True, default=None, help="Exit 1 when there is none."),
    click.option("--drain-timeout", type=click.FloatRange(0), default=None, metavar="SECONDS", help="For a seat that is stopped to finish; default 30."),
    click.option("--kill-grace", type=click.FloatRange(0), default=None, metavar="SECONDS", help="Between SIGTERM and SIGKILL; default 5."),
]  # fmt: skip
FORMAT_NAMES = (
    "quick", "validate", "search", "rounds", "min_rounds", "budget_min", "budget_usd", "steering", "veto", "dissent", "named",
    "moderator", "host_seat", "target", "base", "brief", "lenses", "out", "on_deadlock", "require_consensus",
)  # fmt: skip


def table_options(function: Function) -> Function:
    """Who sits, and what it is about."""
    return _all(_SEATS + _ABOUT, function)


def format_options(function: Function) -> Function:
    """What formats take; which one takes what is checked when the format is known."""
    return _all(_FORMAT, function)


def _all(options: Sequence[Any], function: Function) -> Function:
    for option in reversed(options):
        function = option(function)
    return function

"""A gate at the terminal of who follows a run: what it is about, what can be decided, and what to say with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rt_config.errors import NoGateError
from rt_moderator import formats
from rt_moderator.cli.base import progress
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_MEANS = {
    "continue": "go on",
    "steer": "go on, and say to every seat what to look at",
    "stop": "end it here; what was said is summed up",
    "retry": "ask the same again",
    "veto": "one more round of objections",
}


def decided(shell: Shell, snapshot: Reply) -> bool:
    """Show the gate, ask, decide as the user; False when the person left the question (Ctrl-C, Ctrl-D)."""
    from rt_moderator import deciding

    about = snapshot["table"]
    options = formats.offered(about)
    progress(f"\n{about.get('gate_details') or about.get('gate_reason') or ''}\n")
    for option in options:
        progress(f"  {option:<9} {_MEANS.get(option, '')}")
    try:
        choice, text = _answer(options)
    except click.Abort:
        progress("")
        return False
    try:
        found = deciding.decide(shell, about["id"], choice, text, person="user")
    except NoGateError:
        progress("it was decided elsewhere meanwhile")
        return True
    if found["choice"] != choice:
        progress(plain(f"it was decided elsewhere meanwhile: {found['choice']}"))
    elif found["seq"]:
        progress(f"m{found['seq']} goes to every seat of the next step")
    return True


def _answer(options: list[str]) -> tuple[str, str]:
    choice = click.prompt("What now?", type=click.Choice(options), default=options[0], err=True)
    if choice != "steer":
        return choice, ""
    text = ""
    while not text.strip():
        text = click.prompt("Say to every seat", default="", show_default=False, err=True)
        if not text.strip() and click.confirm("Nothing said. Continue without?", default=True, err=True):
            return "continue", ""
    return choice, text

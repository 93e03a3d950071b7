"""What a person does on the page: speak as the user, decide at a gate. Each is the library function of its command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import HostDownError
from rt_moderator import deciding, hosting, saying
from rt_moderator.words import listed

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

NOTE = "!note"


def say(shell: Shell, table: str, form: dict[str, str]) -> dict[str, Any]:
    """Say the form's `text` as the user, as `rt say --as user` does: {seq, id, asked, text}; the same `key` says it once.

    Raises:
        UnknownTableError, EmptyBodyError, BodyTooLargeError, UnknownSeatError, NoSeatsError, TableEndedError,
        TableArchivedError, DiskFullError, BusDownError: nothing stored, or nobody knows.
    """
    name = shell.resolve(table)
    to, note = form.get("to", ""), form.get("to") == NOTE
    seats = [] if note else [slug for slug in to.split(",") if slug]
    words = saying.Utterance(form.get("text", ""), seats, "user", note=note, key=form.get("key", ""))
    found = saying.say(shell, name, words)
    text = f"m{found['seq']} posted."
    if found.get("next_step"):
        text = f"m{found['seq']} posted; it goes into the next step."
    elif not note:
        text += f" Asked {listed(found['asked']) or 'nobody'}." + _hosted(shell, name)
    return {"seq": found["seq"], "id": found["id"], "asked": found["asked"], "text": text}


def decide(shell: Shell, table: str, form: dict[str, str]) -> dict[str, Any]:
    """Decide at a gate as the user, as `rt decide` does: {choice, text}; safe to repeat, the first decision stays.

    Raises:
        UnknownTableError, NoGateError, BadChoiceError, EmptyBodyError, TableEndedError, TableArchivedError: nothing decided.
    """
    name = shell.resolve(table)
    found = deciding.decide(shell, name, form.get("choice", ""), form.get("text", "").strip(), person="user")
    text = f"Decided: {found['choice']}."
    return {"choice": found["choice"], "text": text + _hosted(shell, name)}


def _hosted(shell: Shell, table: str) -> str:
    """Nothing, or why nobody carries it out."""
    try:
        hosting.ensure(shell, table)
    except HostDownError as exc:  # what was said or decided stands
        return f" {exc}"
    return ""

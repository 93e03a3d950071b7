"""What a person does on the page: speak as the user, decide at a gate. Each is the library function of its command."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rt_config.errors import HostDownError, TableError, UsageError
from rt_moderator import hosting, saying
from rt_moderator.words import listed

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

NOTE = "!note"
CHOICES = ("continue", "steer", "stop")


def say(shell: Shell, table: str, form: dict[str, str]) -> dict[str, Any]:
    """Say the form's `text` as the user, as `rt say --as user` does: {seq, id, asked, text}; the same `key` says it once.

    Raises:
        UnknownTableError, EmptyBodyError, BodyTooLargeError, UnknownSeatError, NoSeatsError, TableEndedError,
        TableArchivedError, DiskFullError, BusDownError: nothing stored, or nobody knows.
    """
    name = shell.resolve(table)
    to, note = form.get("to", ""), form.get("to") == NOTE
    seats = [to] if to and not note else []
    words = saying.Utterance(form.get("text", ""), seats, "user", note=note, key=form.get("key", ""))
    found = saying.say(shell, name, words)
    text = f"m{found['seq']} posted."
    if not note:
        text += f" Asked {listed(found['asked']) or 'nobody'}."
        try:
            hosting.ensure(shell, name)
        except HostDownError as exc:  # it is said; nobody rings the seats
            text += f" {exc}"
    return {"seq": found["seq"], "id": found["id"], "asked": found["asked"], "text": text}


def decide(shell: Shell, table: str, form: dict[str, str]) -> dict[str, Any]:
    """Decide at a gate, as `rt decide` does: {choice, text}.

    Raises:
        UsageError: no such choice, or steering without words. TableError: it waits for nobody's decision.
    """
    name, choice = shell.resolve(table), form.get("choice", "")
    words = form.get("text", "").strip()
    if choice not in CHOICES or (choice == "steer" and not words):
        raise UsageError(reason="choose continue, stop, or steer with your words.")
    try:
        deciding = importlib.import_module("rt_moderator.deciding")
    except ModuleNotFoundError as exc:
        raise TableError(reason=f"{name} does not wait for a decision.") from exc
    deciding.decide(name, choice, words or None)
    return {"choice": choice, "text": f"Decided: {choice}."}

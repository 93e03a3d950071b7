"""Deciding at a gate, and trying failed turns again. What is said with a decision is in the record before it is decided."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadChoiceError, EmptyBodyError, NoGateError
from rt_mailbox import groups, journal, keys, turns
from rt_mailbox.addresses import group_of
from rt_moderator import asking, formats, saying

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


def decide(
    shell: Shell, table: str, choice: str, text: str = "", *, person: str = "moderator"
) -> dict[str, Any]:
    """Decide at the gate this table waits at: {table, gate, choice, seq, retried}; safe to repeat, the first decision stays.

    Without a gate `retry` opens the failed turns of the latest step again, each with its next attempt.

    Raises:
        NoGateError, BadChoiceError: nothing was decided. EmptyBodyError: steer without a text. TableEndedError, TableArchivedError.
    """
    snapshot = saying.writable(shell, table)
    about = snapshot["table"]
    gate = about.get("gate", "")
    if not gate:
        if choice != "retry":
            raise NoGateError(table=table)
        return {
            "table": table,
            "gate": None,
            "choice": choice,
            "seq": None,
            "retried": _retried(shell, snapshot),
        }
    offered = formats.offered(about)
    if choice not in offered:
        raise BadChoiceError(table=table, offered=", ".join(offered), choice=choice)
    if choice == "steer" and not text.strip():
        raise EmptyBodyError
    seq = None
    if text.strip():
        shell.guard_disk()
        limit = shell.settings.max_body_bytes
        key = f"gate/{gate}/{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
        sent = groups.send(shell.door, table, group_of(table), person, text, key=key, limit=limit)
        seq = sent["seq"]
    stood = journal.put(
        shell.door, table, keys.decision(gate), {"choice": choice, "text": text, "person": person}, event="decided",
        fields={"choice": choice, "text": text, "person": person},
    )  # fmt: skip
    return {"table": table, "gate": gate, "choice": stood["choice"], "seq": seq, "retried": []}


def _retried(shell: Shell, snapshot: Reply) -> list[str]:
    """Open the failed turns of the latest step again.

    Raises:
        NoGateError: there is none.
    """
    about = snapshot["table"]
    seats = {seat["slug"]: seat for seat in snapshot["seats"]}
    found = [t for t in snapshot["turns"] if t["step"] == about.get("step") and t["state"] == "failed"]
    opened = []
    for turn in found:
        control = asking.control_of(about, seats[turn["seat"]], turn["request"], int(turn["round"]))
        if turns.reopen(shell.door, about["id"], turn["id"], "by hand", *control):
            opened.append(turn["id"])
    if not opened:
        raise NoGateError(table=about["id"])
    return opened

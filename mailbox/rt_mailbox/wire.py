"""A message as JSON shows it. Imports next to nothing, because the hot door's `--json` uses it."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = frozenset("0123456789")


def to_json(message: dict[str, Any], table: str) -> dict[str, Any]:
    """A message of `rt_mailbox.records` with the names of the JSON contract.

    `table` is what its id starts with (`<table>/m12`): the table, or the group of a record that is no table's. The body
    is whole, byte for byte; `sent_at` is ISO 8601 in UTC with milliseconds.
    """
    return {
        "seq": message["seq"],
        "id": f"{table}/m{message['seq']}",
        "from": message["from"],
        "kind": message["kind"],
        "round": message["round"],
        "turn": message["turn"],
        "subject": message["subject"],
        "body": message["body"],
        "sent_at": iso(message["sent_at"]),
        "citations": citations(message["body"]),
    }


def iso(ms: int) -> str:
    """Milliseconds since the epoch as 2026-11-30T14:05:09.123Z."""
    seconds, rest = divmod(ms, 1000)
    t = time.gmtime(seconds)
    return f"{t[0]:04d}-{t[1]:02d}-{t[2]:02d}T{t[3]:02d}:{t[4]:02d}:{t[5]:02d}.{rest:03d}Z"


def citations(body: str) -> list[int]:
    """The message numbers that `body` names, as in m12, each once and in order; m12 inside a word is none.

    Found by hand: importing `re` costs a third of an interpreter start.
    """
    found: dict[int, None] = {}
    at = body.find("m")
    while at >= 0:
        end = at + 1
        while end < len(body) and body[end] in _DIGITS:
            end += 1
        if _is_number(body, at, end):
            found[int(body[at + 1 : end])] = None
        at = body.find("m", end)
    return list(found)


def _is_number(body: str, at: int, end: int) -> bool:
    """Whether body[at:end] is m and a seq: no longer than a seq can be, not starting with 0, and a word of its own."""
    if not 1 <= end - at - 1 <= 18 or body[at + 1] == "0":
        return False
    return not (_in_word(body[at - 1 : at]) or _in_word(body[end : end + 1]))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"

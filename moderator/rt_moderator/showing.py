"""Showing messages and turns by name; a seat sees what it may."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadMessageIdError, NotInASeatError, UnknownTurnError
from rt_mailbox import addresses, keys, tables, wire
from rt_mailbox.door import mapping
from rt_moderator import who_is_who
from rt_participant import acts
from rt_participant.show import message as message_text
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply
    from rt_moderator.shell import Shell

Found = tuple[str, "Reply"]  # the table's id, and a message of it
_OUTCOMES = {"failed": "failed", "unusable": "unusable", "replied": "answered"}
_TABLE_PREFIX = "rt-"


class Finder:
    """Looks messages and turns up at the actor's table; `other` gives the actor for another table that an id names."""

    def __init__(self, actor: acts.Actor, other: Callable[[str], acts.Actor] | None = None) -> None:
        self._actor, self._other = actor, other
        self.most_chars = actor.access.max_chars

    def message(self, ref: str) -> Found:
        """The table and the message that m12, 12 or <table>/m12 names.

        Raises:
            BadMessageIdError, UnknownMessageError, UnknownTableError.
        """
        seq, table = addresses.seq_of(ref), ref.rpartition("/")[0]
        actor = self._actor
        if table not in ("", actor.table):
            if self._other is None:
                raise BadMessageIdError(given=ref)
            actor = self._other(table)
        found = acts.show(actor, seq)
        if not actor.bound[0] and found.get("turn"):
            labels = who_is_who.read(actor.door, actor.table)
            found = found | {"called": who_is_who.legend(labels, found["turn"], found["body"])}
        return actor.table, found

    def turn(self, name: str, *, with_prompts: bool = False) -> dict[str, Any]:
        """A turn: {table, turn, seat, round, state, reason, request, reply, late, attempts}.

        Raises:
            UnknownTurnError.
            NotInASeatError: a seat sees its own turn with rt turn.
        """
        if self._actor.bound[0]:
            raise NotInASeatError(command="show TURN")
        door, table = self._actor.door, self._actor.table
        found = mapping(door.command("HGETALL", keys.key(table, "turn", name)))
        if not found:
            raise UnknownTurnError(turn=name)
        reply, late = (found.get(field) for field in ("reply_seq", "late_seq"))
        mine = (event for event in every_event(door, table) if event.get("turn") == name)
        return {
            "table": table,
            "turn": name,
            "seat": found["seat"],
            "round": int(found["round"]),
            "state": found["state"],
            "reason": found.get("reason") or None,
            "request": found["request"],
            "reply": f"{table}/m{reply}" if reply else None,
            "late": f"{table}/m{late}" if late else None,
            "attempts": attempts(mine, with_prompts=with_prompts),
        }


def for_operator(shell: Shell, given: str | None, refs: Sequence[str]) -> Finder:
    """A finder on an operator's shell. An id that names its table needs no --table.

    Raises:
        UnknownTableError, AmbiguousTableError, NoTableError.
    """

    def actor(table: str | None) -> acts.Actor:
        name = shell.resolve(table)
        return acts.Actor(shell.reading(name).access, name, "moderator")

    named = next((ref.rpartition("/")[0] for ref in refs if ref.startswith(_TABLE_PREFIX)), None)
    return Finder(actor(given or named), actor)


def names_turn(ref: str) -> bool:
    """Whether `ref` is a turn (m7/skeptic, r2/skeptic) and no message (m7, 7, <table>/m7)."""
    return "/" in ref and not ref.startswith(_TABLE_PREFIX)


def every_event(door: Door, table: str, page: int = 2000) -> Iterable[Reply]:
    """The table's events from the first on, fetched as they are asked for."""
    last = "-"
    while found := tables.events(door, table, last, page):
        yield from found
        last = found[-1]["id"]
        if len(found) < page:
            return


def attempts(events: Iterable[Reply], *, with_prompts: bool) -> list[dict[str, Any]]:
    """What became of each attempt of a turn, from its events: {attempt, outcome, reason, detail, seconds}. Pure.

    With prompts each has `prompts`, the exact texts it was asked with: two when its conversation could not be resumed,
    none when the agent fetched its turn by itself.
    """
    found: dict[int, dict[str, Any]] = {}
    for event in events:
        number = int(event.get("attempt") or 0)
        if not number and event["type"] == "asked":
            number = 1
        if not number:
            continue
        blank = {"attempt": number, "outcome": "open", "reason": None, "detail": None, "seconds": None}
        entry = found.setdefault(number, blank | ({"prompts": []} if with_prompts else {}))
        if event["type"] == "prompt" and with_prompts:
            entry["prompts"].append(event.get("prompt", ""))
        if event["type"] in _OUTCOMES:
            entry["outcome"] = _OUTCOMES[event["type"]]
            entry |= {name: event[name] for name in ("reason", "detail") if event.get(name)}
            entry["seconds"] = int(event["ms"]) / 1000 if event.get("ms") else None
    return [found[number] for number in sorted(found)]


def to_json(found: Sequence[Found]) -> dict[str, Any]:
    """{table, messages} of what `Finder.message` gave."""
    return {"table": found[0][0], "messages": [wire.to_json(message, table) for table, message in found]}


def messages_text(found: Sequence[Found], most_chars: int, start: int) -> str:
    """The messages as they were written, without control characters; each cut at `most_chars`, with how to go on.

    Where a reply calls others by labels, who they are stands below it.
    """
    shown = [message_text(message, most_chars, start) + _called(message) for _, message in found]
    return "\n".join(shown)


def _called(message: Reply) -> str:
    return f"({plain(message['called'])})\n" if message.get("called") else ""


def turn_text(turn: dict[str, Any]) -> str:
    """A turn as a screen."""
    ended = f": {plain(turn['reason'])}" if turn.get("reason") else ""
    answer = "".join(f" · {word} {turn[word].rpartition('/')[2]}" for word in ("reply", "late") if turn[word])
    lines = [f"{turn['turn']} · round {turn['round']} · {turn['state']}{ended}{answer}", ""]
    lines += ["Asked:", plain(turn["request"]).rstrip(), ""]
    for entry in turn["attempts"]:
        took = f", {entry['seconds']:.1f} s" if entry["seconds"] is not None else ""
        why = ": ".join(plain(entry[name]) for name in ("reason", "detail") if entry[name])
        lines.append(f"attempt {entry['attempt']}  {entry['outcome']}{took}" + (f"  {why}" if why else ""))
        for prompt in entry.get("prompts", ()):
            lines += ["", plain(prompt).rstrip(), ""]
    return "\n".join(lines).rstrip() + "\n"

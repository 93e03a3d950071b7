"""The discussion as a Markdown document, derived from the record at any time (S1.25)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_moderator import files, who_is_who
from rt_moderator.quoting import inline, quoted
from rt_participant import show

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

ALL_TURNS = 1_000_000
_HEADING_CHARS = 160
_CLOSED = ("ended", "archived")


def render_markdown(snapshot: Reply, messages: Iterable[Reply]) -> str:
    """The whole transcript: title, date, topic, who took part, a section per round, the final synthesis.

    What participants wrote stands in block quotes and cannot change the document's structure. Times are UTC.
    """
    table = snapshot["table"]
    found = list(messages)
    final = _final(table, found)
    parts = [_head(table, found), _participants(snapshot["seats"])]
    for number, said in _rounds(found).items():
        entries = [_entry(snapshot, message) for message in said if message is not final]
        parts += [f"## {_round(table, number, said)}", *entries] if entries else []
    if final is not None:
        word = "summary" if table.get("format") == "table" else "synthesis"
        parts += [f"## Final {word} (m{final['seq']})", quoted(final["body"])]
    if table.get("state") in _CLOSED:
        parts.append(_ending(table))
    return "\n\n".join(parts) + "\n"


def write(table: str, text: str) -> Path:
    """Write RT_HOME/tables/<id>/transcript.md, whole or not at all, in a folder of this user alone.

    Raises:
        OSError: the disk is full, or the folder belongs to somebody else.
    """
    return files.put(table, "transcript.md", text)


def write_for(door: Door, table: str) -> Path | None:
    """Rewrite a table's transcript.md from its record; None when there is no such table.

    Raises:
        OSError: as `write`.
    """
    found = load(door, table)
    return None if found is None else write(table, render_markdown(*found))


def load(door: Door, table: str) -> tuple[Reply, list[Reply]] | None:
    """A table with all its turns and the labels of its readers, and its whole record; None when there is no such table."""
    from rt_mailbox import records, tables

    snapshot = tables.snapshot(door, table, ALL_TURNS)
    if snapshot is None:
        return None
    said = records.messages(door, table, snapshot["table"]["group"], [(1, snapshot["head"])])
    return snapshot | {"labels": who_is_who.read(door, table)}, list(said)


def _head(table: Reply, messages: Sequence[Reply]) -> str:
    created = int(table.get("created_at") or (messages[0]["sent_at"] if messages else 0))
    rows = [
        ("Date", _utc(created)),
        ("Topic", table.get("topic", "")),
        ("Table", f"{table['id']}, format {table.get('format') or 'open'}"),
        ("Goal", table.get("goal", "")),
        ("Audience", table.get("audience", "")),
        ("Constraint", table.get("constraint", "")),
        ("Stop when", table.get("stop_when", "")),
    ]
    lines = [f"- {name}: {inline(value)}" for name, value in rows if value]
    return "\n".join([f"# Roundtable: {inline(table.get('topic', ''))}", "", *lines])


def _participants(seats: Sequence[Reply]) -> str:
    rows = ["| Participant | Role | Tool |", "|---|---|---|"]
    for seat in seats:
        tool = " ".join(filter(None, (seat.get("profile"), seat.get("model"), seat.get("transport"))))
        dropped = " (dropped)" if seat.get("state") == "dropped" else ""
        role = ": ".join(filter(None, (seat.get("role"), seat.get("viewpoint"))))
        rows.append(f"| {inline(seat['slug'])}{dropped} | {inline(role)} | {inline(tool)} |")
    return "\n".join(rows)


def _rounds(messages: Sequence[Reply]) -> dict[int, list[Reply]]:
    """Messages by round, rounds in the order they began; what came late stands in the round it belongs to."""
    rounds: dict[int, list[Reply]] = {}
    for message in messages:
        rounds.setdefault(message["round"], []).append(message)
    return rounds


def _round(table: Reply, number: int, messages: Sequence[Reply]) -> str:
    """A round's heading; a round table's rounds are called by their questions."""
    asked = [message["body"] for message in messages if message["kind"] == "intent"]
    if table.get("format") != "table" or not asked:
        return f"Round {number}"
    question = show.line(asked[0], _HEADING_CHARS)
    return f"Round {number}: {inline(question)}"


def _final(table: Reply, messages: Sequence[Reply]) -> Reply | None:
    """The synthesis a closed table ends with, or a round table that has been wrapped up."""
    wrapped_up = table.get("format") == "table" and table.get("phase") == "done"
    if table.get("state") not in _CLOSED and not wrapped_up:
        return None
    return next((m for m in reversed(messages) if m["kind"] == "synthesis"), None)


def _entry(snapshot: Reply, message: Reply) -> str:
    kind, who, label = message["kind"], inline(show.person(message["from"])), f"m{message['seq']}"
    if kind == "intent":
        asked = [turn["seat"] for turn in snapshot["turns"] if int(turn["upto"]) == message["seq"]]
        return _section(f"{label} · {who} asks {', '.join(map(inline, asked)) or 'nobody'}", message["body"])
    if kind in ("reply", "late"):
        late = ", too late to count" if kind == "late" else ""
        text = _section(f"{_seat(snapshot, message)} ({label}{late})", message["body"])
        called = who_is_who.legend(snapshot.get("labels", {}), message["turn"], message["body"])
        return f"{text}\n\n({inline(called)})" if called else text
    if kind == "system":
        name = _seat(snapshot, message) if message["turn"] else "System"
        return f"### {name} ({label})\n\n{_code(message['body'])}"
    names = {"synthesis": f"Synthesis by the {who} ({label})", "note": f"Note by {who} ({label})"}
    return _section(names.get(kind, f"{inline(kind)} by {who} ({label})"), message["body"])


def _section(title: str, body: str) -> str:
    return f"### {title}\n\n{quoted(body)}"


def _seat(snapshot: Reply, message: Reply) -> str:
    """The seat's name and role, as a heading."""
    slug = message["turn"].partition("/")[2] or show.person(message["from"])
    seat: dict[str, Any] = next((one for one in snapshot["seats"] if one["slug"] == slug), {})
    role = seat.get("role", "")
    return inline(slug) + (f", {inline(role)}" if role else "")


def _code(text: str) -> str:
    """What the system said, such as [TIMEOUT], as code: a participant's link definition cannot catch it."""
    words = show.line(text, 500).replace("`", "'")
    return f"`{words}`"


def _ending(table: Reply) -> str:
    ended = f" on {_utc(int(table['ended_at']))}" if table.get("ended_at") else ""
    met = {"yes": "met", "no": "not met"}.get(table.get("stop_met", ""), "not stated whether it is met")
    stop = f" Stop condition: {inline(table['stop_when'])} ({met})." if table.get("stop_when") else ""
    return f"The table ended{ended}.{stop}"


def _utc(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ms / 1000))

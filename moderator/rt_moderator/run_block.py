"""What a terminal shows of a format while it runs: one block that is drawn again and again, and lines that stay. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rt_moderator import status_text, status_view
from rt_moderator.words import clock, grid, seqs, span
from rt_participant.show import line

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_WORDS = {"answering": "reading"}  # who has taken its turn reads it, until it has answered
_STATES = {"awaiting_synthesis": "summing up", "veto": "objections to the draft"}


def block(
    snapshot: Reply, working: Mapping[str, tuple[str, int]], now_ms: int, quiet: Mapping[str, float]
) -> list[str]:
    """The lines of the block at a moment.

    Args:
        snapshot: the table as it was seen last.
        working: one-shot calls in progress: name → (what they are, since when by the server's clock, in ms).
        now_ms: the moment, by the server's clock.
        quiet: seconds since the last output of seats of which that is known.
    """
    seen = {**snapshot, "clock_ms": now_ms}
    table = snapshot["table"]
    flag = f" -t {table['id']}"
    rows, hints = [], {}
    for seat in snapshot["seats"]:
        word, detail, hint = status_text.doing(seen, seat, quiet.get(seat["slug"]), flag) or ("", "", "")
        rows.append(
            (seat["slug"], _WORDS.get(word, word) or "waiting", detail + _took(snapshot, seat["slug"], word))
        )
        if hint:
            hints[len(rows) - 1] = f"      → {hint}"
    lines = [_head(snapshot, now_ms)]
    for number, text in enumerate(grid(rows)):
        lines += [text, *([hints[number]] if number in hints else [])]
    for name, (what, since) in working.items():
        lines.append(f"  {line(name, 40)}: {line(what, 100)}   {clock((now_ms - since) / 1000)}")
    return lines


def _head(snapshot: Reply, now_ms: int) -> str:
    table, state = snapshot["table"], status_view.state_of(snapshot)
    what = [
        " ".join(dict.fromkeys(filter(None, (table.get("format"), table.get("mode"))))),
        f"round {table.get('round') or 0}",
    ]
    if state in _STATES and not status_view.open_turns(snapshot):
        what.append(_STATES[state])
    began = int(table.get("created_at") or now_ms)
    return f"{table['id']}   {', '.join(what)}   {clock((now_ms - began) / 1000)}"


def _took(snapshot: Reply, slug: str, word: str) -> str:
    """How long an answer took, behind its number."""
    if word != "answered":
        return ""
    turn = next(
        t
        for t in reversed(snapshot["turns"])
        if t["seat"] == slug and t["step"] == snapshot["table"].get("step")
    )
    return f"  {span(status_view.elapsed(turn, int(snapshot['clock_ms'])) or 0)}"


def closed(snapshot: Reply) -> Iterator[tuple[str, str]]:
    """Each step whose turns are all closed, in order, with the line that stays of it."""
    steps: dict[str, list[Reply]] = {}
    for turn in snapshot["turns"]:
        steps.setdefault(turn["step"], []).append(turn)
    for name, turns in steps.items():
        if all(turn["state"] != "open" for turn in turns):
            yield name, _ended(snapshot, name, turns)


def _ended(snapshot: Reply, name: str, turns: Sequence[Reply]) -> str:
    answered = [turn for turn in turns if turn["state"] == "answered"]
    seconds = max(status_view.elapsed(turn, int(snapshot["clock_ms"])) or 0.0 for turn in turns)
    where = f" ({seqs(int(turn['reply_seq']) for turn in answered)})" if answered else ""
    lost = ", ".join(f"{turn['seat']} {_mark(turn)}" for turn in turns if turn["state"] != "answered")
    step = f"round {turns[0]['round']}"
    step = step if name == f"r{turns[0]['round']}" else f"{name}, {step}"
    shown = f"{step}: {len(answered)} of {len(turns)} answered{where}, {span(seconds)}"
    return shown + (f"; {lost}" if lost else "")


def _mark(turn: Mapping[str, str]) -> str:
    if turn["state"] != "failed":
        return turn["state"]
    reason = turn.get("reason", "")
    return "[TIMEOUT]" if reason == "timeout" else f"[ERROR: {line(reason, 60)}]"


def paint(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each line of a block with the style it is drawn in."""
    for number, text in enumerate(lines):
        word = text.split()[1] if len(text.split()) > 1 else ""
        if number == 0:
            yield text, "bold"
        elif word in ("LATE", "FAILED", "BLOCKED", "DROPPED") or text.lstrip().startswith("→"):
            yield text, "yellow"
        elif word in ("answered", "waiting"):
            yield text, "dim"
        else:
            yield text, ""

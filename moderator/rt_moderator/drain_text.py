"""What drain puts on a screen: of each reply its point with its number, what else came, where they part, what to type. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rt_moderator import status_view
from rt_moderator.partings import Parting, partings
from rt_moderator.words import cells, hung, seqs, span, still_answering
from rt_participant import show

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_GIST = 200  # characters: five replies fit a screen
_MOST_PARTINGS = 5
_MARKS = {
    "reply": "",
    "late": "late, does not count: ",
    "note": "note: ",
    "intent": "asks: ",
    "system": "",
    "synthesis": "synthesis, the moderator's own: ",
}


def new(
    snapshot: Reply, messages: Sequence[Reply], left: int, *, flag: str = "", width: int | None = None
) -> str:
    """The screen for `messages`; `left` more are unread.

    Args:
        snapshot: the table, with the turns that the messages answer.
        messages: as records give them, oldest first.
        left: how many more are unread.
        flag: ` -t ID` for the suggested commands, when the table had to be named.
        width: of the terminal; None: no wrapping.
    """
    blocks = []
    replies = [message for message in messages if message["kind"] == "reply"]
    others = [message for message in messages if message["kind"] != "reply"]
    rows = _heads(messages)
    for step in dict.fromkeys(message["turn"].partition("/")[0] for message in replies):
        mine = [message for message in replies if message["turn"].partition("/")[0] == step]
        said = "\n".join(_row(rows, message, width) for message in mine)
        blocks.append(f"{_header(snapshot, step, mine)}\n\n{said}")
    if others:
        lines = "\n".join(_row(rows, message, width) for message in others)
        blocks.append(lines if replies else f"New in {snapshot['table']['id']}\n\n{lines}")
    parted = partings(messages)
    apart = [hung("  They part on: ", _parted(parted), width)] if parted else []
    blocks.append("\n".join([*apart, *_next(snapshot, replies, parted, left, flag)]))
    return "\n\n".join(filter(None, blocks)) + "\n"


def nothing(snapshot: Reply, age: float | None, left: int, flag: str = "") -> str:
    """The line that says that nothing is new; `age` is how long ago the reader drained, in seconds."""
    head = int(snapshot["head"])
    since = f" since m{head}" if head else ", nothing has been said yet"
    read = f" (read {span(age)} ago)" if head and age is not None else ""
    busy = status_view.answering(snapshot)
    still = f" {still_answering(busy)}." if busy else ""
    more = f" {left} more unread: rt drain{flag}" if left else ""
    return f"nothing new{since}{read}.{still}{more}\n"


def _header(snapshot: Reply, step: str, mine: Sequence[Reply]) -> str:
    """'Round 1, 5 of 5 answered (m2–m6), 1 min 48 s'."""
    numbers = seqs(message["seq"] for message in mine)
    turns = [turn for turn in snapshot["turns"] if turn["step"] == step]
    if not turns:
        return f"Round {mine[0]['round']}, answers to {step} ({numbers})"
    answered = sum(turn["state"] == "answered" for turn in turns)
    clock = int(snapshot["clock_ms"])
    started = min(int(turn["opened_at"]) for turn in turns)
    ended = max(int(turn.get("closed_at") or clock) for turn in turns)
    return (
        f"Round {mine[0]['round']}, {answered} of {len(turns)} answered ({numbers}),"
        f" {span((ended - started) / 1000)}"
    )


def _heads(messages: Sequence[Reply]) -> dict[int, str]:
    """The aligned beginnings of all rows by seq: who and number."""
    names = {message["seq"]: _who(message) for message in messages}
    wide = max(map(cells, names.values()), default=0)
    digits = max((len(str(seq)) for seq in names), default=0)
    return {
        seq: f"  {name}{' ' * (wide - cells(name))}  {('m' + str(seq)).ljust(digits + 1)}  "
        for seq, name in names.items()
    }


def _who(message: Reply) -> str:
    """Whose row it is: for what the system says of a turn, its seat."""
    if message["kind"] == "system" and "/" in message["turn"]:
        return show.plain(message["turn"].partition("/")[2])
    return show.line(show.person(message["from"]), 40)


def _row(heads: dict[int, str], message: Reply, width: int | None) -> str:
    mark = _MARKS.get(message["kind"], f"{show.line(message['kind'])}: ")
    return hung(heads[message["seq"]], mark + show.gist(message["body"], _GIST), width)


def _parted(found: Sequence[Parting]) -> str:
    shown = [f"{one.point} ({', '.join(f'm{seq}' for seq in one.seqs)})" for one in found[:_MOST_PARTINGS]]
    more = [f"{len(found) - _MOST_PARTINGS} more"] if len(found) > _MOST_PARTINGS else []
    return " · ".join([*shown, *more])


def _next(
    snapshot: Reply, replies: Sequence[Reply], parted: Sequence[Parting], left: int, flag: str
) -> list[str]:
    """What to type next."""
    if left:
        return [f"  {left} more unread: rt drain{flag}"]
    hints = [f"rt show m{replies[0]['seq']}{flag}  the whole answer"] if replies else []
    busy = status_view.answering(snapshot)
    still = [f"  {still_answering(busy)}: rt wait{flag} && rt drain{flag}"] if busy else []
    if not busy and snapshot["table"].get("state") == "open":
        to = _challenged(replies, parted)
        hints += [f'rt say "…"{flag}' + (f" --to {to}" if to else ""), f"rt synthesis{flag} --file -"]
    return still + (["  " + "      ".join(hints)] if hints else [])


def _challenged(replies: Sequence[Reply], parted: Sequence[Parting]) -> str:
    """The seats on either side of what they part on."""
    on = {seq for one in parted for seq in one.seqs}
    return ",".join(
        dict.fromkeys(show.person(message["from"]) for message in replies if message["seq"] in on)
    )

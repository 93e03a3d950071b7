"""What of the record a turn may see: all of it for a session that knows nothing, else what that session has not seen.

Imports next to nothing: `rt turn` passes here.
"""

from __future__ import annotations

from rt_mailbox import records
from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rt_mailbox.door import Door, Reply


def messages(door: Door, space: str, turn: Reply, seat: Mapping[str, str], *, fresh: bool) -> Iterator[Reply]:
    """The messages, oldest first, up to the turn's own `upto`.

    Args:
        door: any.
        space: the table's.
        turn: from `turns.show`.
        seat: native_upto and native_turn tell what the seat's session has seen and written.
        fresh: whether the session knows nothing yet.
    """
    known, own = 0 if fresh else int(seat.get("native_upto") or 0), turn["person"]
    visible = door.command("HGET", key(space, "members", turn["group"]), own) or "1-|"
    spans = _clipped(visible.partition("|")[0], known + 1, turn["upto"])
    for message in records.messages(door, space, turn["group"], spans):
        if turn["view"] != "raw" and message["kind"] != "intent" and message["from"] != own:
            continue
        if not fresh and message["from"] == own and message["turn"] == seat.get("native_turn"):
            continue  # the session wrote it
        yield message


def _clipped(visible: str, first: int, last: int) -> list[tuple[int, int]]:
    """The intervals of `visible`, such as 1-4,9-, within first to last."""
    spans = []
    for part in visible.split(","):
        start, _, end = part.partition("-")
        if start:
            low, high = max(first, int(start)), min(last, int(end or last))
            if low <= high:
                spans.append((low, high))
    return spans

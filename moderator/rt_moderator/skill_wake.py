"""The wake of a moderating agent whose CLI has hooks: asked when it is about to stop, says what came at the table."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from rt_config import env
from rt_config.errors import RoundtableError
from rt_mailbox import access, directory, records, tables
from rt_moderator.shell import table_folder
from rt_participant import acts, waits

_TOLD = "told"


def news(seconds: float) -> str:
    """One line when all seats have answered and something is undrained, at most once for each last message; else nothing.

    Waits up to `seconds` while turns are open. Starts no server and no host, and raises nothing: a hook that fails would
    keep the agent from stopping. Nothing in a seat, without a table, or with several open and none named.
    """
    if env.seat() is not None:
        return ""
    with suppress(RoundtableError, OSError):
        return _news(seconds)
    return ""


def _news(seconds: float) -> str:
    way = access.open_light()
    if way is None:
        return ""
    table = directory.resolve(way.door, way.space, os.environ.get("RT_TABLE", ""))
    snapshot = tables.snapshot(way.door, table, 1)
    if snapshot is None or snapshot["table"]["state"] != "open":
        return ""
    actor = acts.Actor(way, table, "moderator")
    found = waits.wait(actor, "all", seconds)
    last = records.head(way.door, table, actor.group)
    if not found["ready"] or not found["unread"] or not _first(table_folder(table), last):
        return ""
    return f"{found['unread']} new in roundtable {table}. Run: rt drain -t {table}   and present it."


def _first(folder: Path, last: int) -> bool:
    """Whether nothing was said yet for a message as late as this; remembered in a file that may be lost."""
    file = folder / _TOLD
    with suppress(OSError, ValueError):
        if int(file.read_text()) >= last:
            return False
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(str(last))
    return True

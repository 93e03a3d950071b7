"""Bringing a table back: after an end, an archive, a reboot, or when everything was killed."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import packed_spec
from rt_config.errors import CliMissingError, UnknownTableError, WorkdirMissingError
from rt_mailbox import directory, tables
from rt_mailbox.keeping import archives
from rt_moderator import hosting, naming, seating, starting

if TYPE_CHECKING:
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


def pick(shell: Shell, given: str) -> str:
    """The table to resume: the one named, else the only open one, else the one that was there last.

    Raises:
        UnknownTableError, NoTableError, AmbiguousTableError.
    """
    found = directory.entries(shell.door, shell.space)
    if given:
        if given not in found and given not in archives.known_files():
            raise UnknownTableError(table=given)
        return given
    open_ones = [table for table, entry in found.items() if entry.get("state") in directory.OPEN]
    if not open_ones and found:
        return list(found)[-1]
    return shell.resolve(None)


def resume(shell: Shell, deck: Deck, table: str, *, cwd: str = "", as_open: bool = False) -> dict[str, Any]:
    """Open the table again and give host and seats their sessions; open turns go on, nothing is asked twice.

    Safe to repeat. With `as_open` its format asks nothing more, and the moderator goes on by hand. A table that was taken into a file comes back from it first. A table whose host is alive on another deck stays there. Seats of another machine are rebuilt from the record (said once); a missing folder or CLI is named.

    Returns:
        {table, record, seats: {slug: how}, open_turns, unread, stop_condition, host_started}

    Raises:
        WorkdirMissingError, CliMissingError: nothing was changed; `--cwd DIR`, or seat the slug anew.
    """
    archives.bring_back(shell.door, shell.space, table, shell.say)
    snapshot = _complete(shell, table)
    if as_open and snapshot["table"].get("format", "open") != "open":
        fields = {"as_open": "1", "view": "raw", "phase": "", "gate": "", "asks": ""}
        tables.set_table(shell.door, table, fields, event="as_open")
    machine = platform.node()
    moved = snapshot["table"].get("machine") not in ("", None, machine)
    if _elsewhere(deck, snapshot):
        moved, cwd = False, ""
    else:
        _check(snapshot, cwd)
    if snapshot["table"]["state"] not in directory.OPEN:
        tables.set_table(shell.door, table, {"state": "open", "stop_met": ""}, event="resumed")
    if moved or cwd:
        _move(shell, snapshot, machine, cwd, moved=moved)
    snapshot = shell.snapshot(table)
    where = _elsewhere(deck, snapshot)
    made = [] if where else seating.ensure(shell.door, deck, snapshot, shell.url)
    starting.mark(shell, table, "open")
    started = hosting.ensure(shell, table, seen=not where)
    how = {
        seat["slug"]: "dropped"
        if seat["state"] == "dropped"
        else where or _how(seat, seat["slug"] in made, moved)
        for seat in snapshot["seats"]
    }
    return {
        "table": table, "record": snapshot["head"], "seats": how, "unread": shell.unread(table), "host_started": started,
        "open_turns": [t["id"] for t in snapshot["turns"] if t["state"] == "open"],
        "stop_condition": snapshot["table"].get("stop_when", ""),
    }  # fmt: skip


def _complete(shell: Shell, table: str) -> Reply:
    """The table's snapshot, its opening put; a start that died before the table was written cannot be completed without its seats."""
    if tables.snapshot(shell.door, table, 1) is None:
        directory.remove(shell.door, shell.space, table)
        raise UnknownTableError(table=table)
    return starting.opened(shell, table)


def _elsewhere(deck: Deck, snapshot: Reply) -> str:
    """Where the table lives when its host is alive on another deck; two decks must not seat the same seats."""
    if not hosting.alive(snapshot) or hosting.ours(snapshot):
        return ""
    if deck.resolve(naming.host_session(snapshot["table"]["id"])) is not None:
        return ""
    return f"running on {snapshot['host'].get('machine', 'another machine')}, in another home"


def _how(seat: Reply, made: bool, moved: bool) -> str:
    if not made:
        return "running"
    spec = packed_spec.unpacked(seat["spec"])
    screen = seat.get("transport") == "tui" and not (spec["resume"] and seat.get("native_session"))
    if moved or screen or seat.get("native_ready") != "1":
        return "rebuilt from the record"
    return "resumed"


def _check(snapshot: Reply, cwd: str) -> None:
    import shutil

    for seat in snapshot["seats"]:
        if seat["state"] == "dropped":
            continue
        if not Path(cwd or seat["workdir"]).is_dir():
            raise WorkdirMissingError(workdir=cwd or seat["workdir"])
        spec = packed_spec.unpacked(seat["spec"])
        program = spec["executable"]
        if program != "{python}" and shutil.which(program) is None:
            raise CliMissingError(
                cli=program, install=spec.get("install") or f"put it on PATH, or: rt seat drop {seat['slug']}"
            )


def _move(shell: Shell, snapshot: Reply, machine: str, cwd: str, *, moved: bool) -> None:
    """Seats in a new folder or on a new machine: their conversations stay behind, the record has everything."""
    table = snapshot["table"]["id"]
    for seat in snapshot["seats"]:
        fields = {"native_ready": "0"} if moved else {}
        if cwd:
            fields |= {
                "workdir": cwd,
                "spec": packed_spec.packed(_in_folder(packed_spec.unpacked(seat["spec"]), cwd)),
                "native_ready": "0",
            }
        tables.set_seat(shell.door, table, seat["slug"], fields)
    tables.set_table(shell.door, table, {"machine": machine} | ({"cwd": cwd} if cwd else {}), event="moved")


def _in_folder(spec: dict[str, Any], cwd: str) -> dict[str, Any]:
    """The launch spec, and the one it may switch to, for another folder."""
    other = spec["other"] and spec["other"] | {"cwd": cwd}
    return spec | {"cwd": cwd, "other": other}

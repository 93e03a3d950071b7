"""kill -9 at a seat: its CLI, its runner, its pane; and what must hold of a table afterwards, whatever was killed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil

from rt_config import processes
from rt_config.errors import DeckError
from rt_deck import Deck
from rt_mailbox.addresses import session_of
from rt_participant import launch

if TYPE_CHECKING:
    from tests.cli.world import World

Kill = Callable[["World", str, str], bool]


def cli(world: World, table: str, slug: str) -> bool:
    """Every process of the seat's CLI; whether there was one."""
    marked = processes.marked(launch.MARK, launch.mark_of(os.environ["RT_HOME"], table, slug))
    found = [one.pid for one in marked] or [one.pid for one in at_its_screen(world, table, slug)]
    for pid in found:
        with suppress(psutil.Error):
            psutil.Process(pid).kill()
    return bool(found)


def runner(world: World, table: str, slug: str) -> bool:
    """The process that runs the seat's turns, and nothing of what it started; on a screen the agent became that process."""
    for one in world.processes("seat", "run"):
        with suppress(psutil.Error):
            if one.environ().get("RT_SEAT") == slug and one.environ().get("RT_TABLE") == table:
                one.kill()
                return True
    for one in at_its_screen(world, table, slug)[:1]:
        one.kill()
        return True
    return False


def at_its_screen(world: World, table: str, slug: str) -> list[psutil.Process]:
    """The agent on the seat's own screen and what it started; empty when the seat has none."""
    seat = next(one for one in world.snapshot(table)["seats"] if one["slug"] == slug)
    session = Deck().resolve(session_of(table, slug)) if seat["transport"] == "tui" else None
    if session is None or session.state != "running":
        return []
    with suppress(psutil.Error):
        return psutil.Process(session.pane_pid).children(recursive=True)
    return []


def pane(_world: World, table: str, slug: str) -> bool:
    """The seat's tmux session with all that runs in it."""
    with suppress(DeckError):
        Deck().tmux.run("kill-session", "-t", f"={session_of(table, slug)}")
        return True
    return False


def host(world: World, table: str) -> None:
    """The table's host; nobody sees an end of its session."""
    found = world.host(table)
    for shim in world.processes("shim.sh", "_host"):
        shim.kill()
    found.kill()


def tmux(_world: World, _table: str) -> None:
    """The tmux server, and with it every pane."""
    pid = Deck().tmux.server_pid()
    assert pid is not None
    psutil.Process(pid).kill()


SHARED: dict[str, Callable[[World, str], None]] = {"host": host, "tmux": tmux}
"""What all seats of a table need; its death is nobody's strike."""
KILLS: dict[str, Kill] = {"cli": cli, "runner": runner, "pane": pane}


def finished(world: World, table: str) -> dict[str, str]:
    """Turn → state, after checking that the table is over and honest.

    Every turn is closed with exactly one answer or one failure message, and what is missing is named as degraded.
    """
    turns = world.turns(table)
    assert set(turns.values()) <= {"answered", "failed"}
    said = Counter(m["turn"] for m in world.record(table, "reply"))
    assert said == {turn: 1 for turn, state in turns.items() if state == "answered"}
    missing = [turn for turn, state in turns.items() if state == "failed"]
    errors = [m["body"] for m in world.record(table, "system")]
    assert len(errors) == len(missing), errors
    assert all(any(turn in body for body in errors) for turn in missing)
    assert all(body.startswith(("[ERROR: ", "[TIMEOUT]")) for body in errors), errors
    status = world.json("status")
    named = {entry["seat"] for entry in status["degraded"]}
    dropped = {seat["slug"] for seat in status["seats"] if seat["state"] == "dropped"}
    changed = {seat["slug"] for seat in world.snapshot(table)["seats"] if seat.get("switched")}
    assert named == dropped | changed
    assert status["state"] == "awaiting_moderator"
    return turns

"""tmux that is missing, too old, killed, stopped or lost: named, and never anybody's strike."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import psutil
import pytest

from tests.cli.world import ECHO, World
from tests.helpers import eventually

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


def without_tmux(world: World) -> str:
    """A PATH with everything but tmux."""
    folder = world.base / "bin"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name != "tmux" and not link.exists():
                link.symlink_to(program)
    return str(folder)


def tmux_server(world: World) -> psutil.Process:
    (server,) = [one for one in world.processes("tmux", "-S") if one.ppid() == 1]
    return server


def test_tmux_is_missing(world: World) -> None:
    """Without tmux a start says how to get it; with it the same start is completed."""
    path = without_tmux(world)
    assert world.refused("start", "Which cache?", *TWO, env={"PATH": path}) == "tmux_missing"
    done = world.run("start", "Which cache?", *TWO, env={"PATH": path})
    assert "apt install tmux" in done.stderr
    table = world.start(*TWO)
    world.answered(table)
    assert len(world.turns(table)) == 2


def test_tmux_is_too_old(world: World) -> None:
    """A tmux before 3.2 is named with its version."""
    folder = world.base / "old"
    folder.mkdir()
    (folder / "tmux").write_text(
        '#!/bin/sh\ncase "$1" in -V) echo "tmux 2.9a";; *) echo "no server running on x" >&2; exit 1;; esac\n'
    )
    (folder / "tmux").chmod(0o700)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    done = world.run("start", "Which cache?", *TWO, env={"PATH": path})
    assert done.returncode == 1
    assert "tmux_too_old" in done.stderr
    assert "2.9a" in done.stderr


def test_the_tmux_server_is_killed(world: World) -> None:
    """The host lives on and gives the seats new sessions, without a strike; a resume gives it a pane again."""
    gate = world.work / "gate"
    slow = world.program("slow", f"while [ ! -e '{gate}' ]; do sleep 0.05; done; {ECHO}")
    table = world.start("--seat", f"a={slow}", "--seat", "b=rehearsal")
    eventually(lambda: world.processes("slow"), what="the CLI runs")
    host = world.host(table)
    tmux_server(world).send_signal(signal.SIGKILL)
    eventually(lambda: len(world.sessions()) == 2, what="the seats are back")
    gate.touch()
    world.answered(table)
    assert world.host(table) == host
    found = world.json("resume", table)
    assert found["host_started"] is True
    assert len(world.sessions()) == 3
    assert world.host(table) != host
    assert not host.is_running()
    assert set(world.turns(table).values()) == {"answered"}
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}


def test_the_tmux_server_is_stopped(world: World) -> None:
    """A tmux that does not answer delays nobody's reply and makes no session dead; seats go on when it comes back."""
    table = world.start(*TWO)
    world.answered(table)
    host = world.host(table)
    server = tmux_server(world)
    server.send_signal(signal.SIGSTOP)
    world.json("say", "And now?")
    world.answered(table)
    server.send_signal(signal.SIGCONT)
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}
    assert world.host(table) == host
    assert len(world.sessions()) == 3


@pytest.mark.full
def test_tmuxs_socket_is_deleted(world: World) -> None:
    """A lost socket is restored: the same sessions are found again and go on."""
    table = world.start(*TWO)
    world.answered(table)
    before = {one["name"]: one["id"] for one in world.json("deck", "list")["sessions"]}
    (socket,) = (world.base / "h" / "deck").glob("tmux")
    socket.unlink()
    world.json("say", "And now?")
    world.answered(table)
    after = {one["name"]: one["id"] for one in world.json("deck", "list")["sessions"]}
    assert after == before


@pytest.mark.full
def test_a_session_is_killed_by_hand(world: World) -> None:
    """A seat's session that somebody kills comes back by itself, without a strike."""
    table = world.start(*TWO)
    world.answered(table)
    world.json("deck", "remove", f"{table}--a")
    eventually(lambda: f"{table}--a" in world.sessions(), what="a new session")
    world.json("say", "And now?", "--to", "a")
    world.answered(table)
    assert world.turns(table)["m4/a"] == "answered"
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}


def test_a_start_inside_tmux(world: World) -> None:
    """Started inside a tmux, rt uses a server of its own, and its seats know of neither."""
    shows = world.program("shows", f'env > "$RT_HOME/env"; {ECHO}')
    inside = {"TMUX": f"{world.base}/foreign,4242,0", "TMUX_PANE": "%0"}
    table = world.start("--seat", f"a={shows}", env=inside)
    world.answered(table)
    assert set(world.turns(table).values()) == {"answered"}
    seen = dict(
        line.split("=", 1) for line in (world.base / "h" / "env").read_text().splitlines() if "=" in line
    )
    assert not {"TMUX", "TMUX_PANE"} & seen.keys()
    assert (world.snapshot(table)["table"]["wake"], shutil.which("tmux") is not None) == ("none", True)

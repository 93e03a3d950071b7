"""Removing sessions: nothing of theirs survives, and nothing of anybody else is harmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rt_config import processes
from rt_config.errors import DeckGroupBusyError, SessionExistsError
from rt_deck import Deck
from tests.helpers import eventually
from tests.integration.deck_fixtures import TEST_VARIABLE, dead, deck_of_its_own, ready, sh, spec  # noqa: F401

STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0: os._exit(0)
print("ready", flush=True)
time.sleep(300)
"""


def test_a_halted_session_keeps_its_screen(deck: Deck) -> None:
    """What runs in it ends, whatever it ignores, and what it showed last can still be read."""
    made = deck.create(spec("a", *sh("trap '' TERM; echo ready; sleep 300 & wait; sleep 300")))
    ready(deck, made.name)
    deck.halt(made, 0.2)
    assert dead(deck, made.name).mark == made.mark
    assert "ready" in deck.capture(made.name)


def test_no_descendant_survives(deck: Deck, rt_home: Path) -> None:
    """T11: what ignores HUP and TERM, what moved to a session of its own and what lost its parent are all ended."""
    scripts = [
        (sys.executable, "-c", STUBBORN),
        sh("nohup sleep 300 >/dev/null 2>&1 & setsid sleep 300 & trap '' HUP; echo ready; sleep 300"),
    ]
    made = deck.create_many([spec(f"s{n}", *script) for n, script in enumerate(scripts)])
    for session in made:
        ready(deck, session.name)
    assert len(processes.marked(TEST_VARIABLE, str(rt_home))) >= 5
    started = time.monotonic()
    assert deck.remove_many([session.name for session in made], 0.5) == [session.name for session in made]
    assert time.monotonic() - started < 3  # one grace for all
    assert processes.marked(TEST_VARIABLE, str(rt_home)) == []
    assert deck.list() == []
    assert deck.remove_many([session.name for session in made]) == []
    assert [path.name for path in rt_home.joinpath("deck").iterdir() if "--" in path.name] == []


def test_a_command_that_ends_on_term_is_not_killed(deck: Deck, tmp_path: Path) -> None:
    """T11: there is a grace: a command may tidy up when it is asked to end."""
    script = "trap 'sleep 0.3; echo tidy >\"$1\"; exit 0' TERM; trap '' HUP; echo ready; while :; do sleep 0.05; done"
    made = deck.create(spec("a", *sh(script, str(tmp_path / "out"))))
    ready(deck, made.name)
    deck.remove(made.name)
    assert (tmp_path / "out").read_text() == "tidy\n"


def test_removing_one_leaves_those_with_a_longer_name(deck: Deck) -> None:
    """T4: agent-1 goes, agent-10 stays."""
    deck.create_many([spec("agent-1"), spec("agent-10")])
    assert deck.remove("rt-20261130-1412-x--agent-1", 0.5)
    assert [one.name for one in deck.list()] == ["rt-20261130-1412-x--agent-10"]
    assert deck.list()[0].state == "running"


def test_a_lost_servers_sessions_are_ended_before_their_name_is_used_again(deck: Deck, rt_home: Path) -> None:
    """T11, T13: what survived a killed server is ended by the next create of that name, and only that."""
    made = deck.create_many(
        [spec("a", sys.executable, "-c", STUBBORN), spec("b", sys.executable, "-c", STUBBORN)]
    )
    for session in made:
        ready(deck, session.name)
    old = {one.pid for one in processes.marked("RT_DECK_MARK", made[0].mark)}
    other = {one.pid for one in processes.marked("RT_DECK_MARK", made[1].mark)}
    os.kill(made[0].server_pid, signal.SIGKILL)
    eventually(lambda: processes.start_time(made[0].server_pid) is None, what="the server's death")
    assert old
    new = deck.create(spec("a"))
    assert processes.marked("RT_DECK_MARK", made[0].mark) == []
    assert {one.pid for one in processes.marked("RT_DECK_MARK", made[1].mark)} & other
    assert new.server_pid != made[0].server_pid
    deck.remove(made[1].name, 0.2)
    assert processes.marked("RT_DECK_MARK", made[1].mark) == []


def test_the_server_stops_with_the_last_session(deck: Deck, rt_home: Path) -> None:
    """S4.26: with a session left nothing happens; without one the server's process, socket and files are gone."""
    made = deck.create(spec("a"))
    assert not deck.stop_server_if_empty()
    assert deck.remove(made.name, 0.5)
    assert deck.stop_server_if_empty()
    assert processes.start_time(made.server_pid) is None
    assert [path.name for path in rt_home.joinpath("deck").iterdir()] == ["spawn.lock"]
    assert deck.stop_server_if_empty()  # again: still nothing
    assert deck.create(spec("a")).state == "running"


def test_stop_and_create_never_race(deck: Deck) -> None:
    """T10: sessions made while others try to stop the empty server exist when create returns."""
    with ThreadPoolExecutor(4) as pool:
        for n in range(10):
            stops = [pool.submit(Deck().stop_server_if_empty) for _ in range(3)]
            made = deck.create(spec(f"s{n}"))
            for stop in stops:
                stop.result()
            assert deck.resolve(made.name) is not None
            deck.remove(made.name, 0.5)


def test_a_group_lives_as_long_as_its_sessions(deck: Deck) -> None:
    """S4.13, S4.26: a group with sessions, or with groups that have some, is not deleted; an empty one is gone."""
    made = deck.create(spec("a"))
    for path in (made.group, "parent"):
        with pytest.raises(DeckGroupBusyError, match=made.name):
            deck.delete_group(path)
    deck.delete_group("par")
    deck.remove(made.name, 0.5)
    deck.delete_group(made.group)
    assert deck.groups() == []


def test_a_removal_cut_short_is_finished_by_the_next(deck: Deck, rt_home: Path) -> None:
    """T11: when whoever removes is killed after tmux forgot the session, the next remove ends its processes."""
    made = deck.create(spec("a", sys.executable, "-c", STUBBORN))
    ready(deck, made.name)
    deck.tmux.run("kill-session", "-t", f"={made.name}")
    assert processes.marked(TEST_VARIABLE, str(rt_home))
    assert deck.remove(made.name, 0.2)
    assert processes.marked(TEST_VARIABLE, str(rt_home)) == []


def test_restart_storm_gives_one_session(deck: Deck, rt_home: Path) -> None:
    """T9: threads that each remove and make the same name end with one session and one process."""

    def restart(_: int) -> None:
        deck.remove("rt-20261130-1412-x--a", 0.5)
        try:
            deck.create(spec("a", *sh("echo ready; exec sleep 300")))
        except SessionExistsError:
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(restart, range(16)))
    (session,) = deck.list()
    ready(deck, session.name)
    eventually(lambda: len(processes.marked(TEST_VARIABLE, str(rt_home))) == 1, what="one process")


def test_kill_tree_spares_a_stranger_with_the_same_pid() -> None:
    """T11: an identity is pid and start time; the wrong start time is never signalled."""
    child = subprocess.Popen(["sleep", "300"])
    try:
        started = processes.start_time(child.pid)
        assert started is not None
        assert processes.kill_tree([processes.Process(child.pid, started - 1)], 0.2) == []
        assert child.poll() is None
        assert processes.kill_tree(processes.tree(child.pid), 2) == []
        assert child.wait(5) == -signal.SIGTERM
        assert not processes.alive(child.pid, started)
    finally:
        child.kill()
        child.wait(5)


def test_a_zombie_is_not_alive() -> None:
    """T11: a process that ended counts as gone before its parent has noticed."""
    child = subprocess.Popen(["true"])
    try:
        eventually(lambda: processes.start_time(child.pid) is None, what="the end")
    finally:
        child.wait(5)


def test_the_caller_is_never_ended() -> None:
    """T11: a process that ends its own tree survives it."""
    child = subprocess.Popen(["sleep", "300"])
    try:
        assert processes.kill_tree(processes.tree(os.getpid()), 2) == []
        assert child.wait(5) == -signal.SIGTERM
    finally:
        child.kill()
        child.wait(5)

"""end, archive and resume: closing a table without losing anything, and bringing it back."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from rt_moderator import naming
from tests.cli.world import ECHO, World
from tests.helpers import eventually

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


def test_an_end_needs_a_synthesis(world: World) -> None:
    """S4.24, S4.25: without a final synthesis an end is refused and changes nothing; with one it says all that counts."""
    table = world.start(*TWO, "--stop-when", "we agree")
    world.answered(table)
    assert world.refused("end") == "no_final_synthesis"
    assert world.refused("end", "--file", "-", stdin="As m9 says.") == "unknown_citation"
    assert world.snapshot(table)["table"]["state"] == "open"
    found = world.json("end", "--file", "-", "--stop-met", "yes", stdin="As m2 says: small steps.\n")
    assert (found["state"], found["stop_condition"], found["stop_met"]) == ("ended", "we agree", "yes")
    assert (found["synthesis"], found["synthesis_id"]) == ("As m2 says: small steps.\n", f"{table}/m4")
    assert "small steps" in Path(found["transcript"]).read_text()
    again = world.json("end", "-t", table)
    assert (again["synthesis_id"], again["stop_met"]) == (found["synthesis_id"], "yes")
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply", "synthesis"]
    assert world.refused("say", "More?", "-t", table) == "table_ended"
    assert world.refused("synthesis", "-m", "x", "-t", table) == "table_ended"
    eventually(lambda: not world.snapshot(table)["host"].get("holder"), what="the host gave up its lock")


@pytest.mark.full
def test_an_end_takes_the_last_synthesis(world: World) -> None:
    """S4.25: the last synthesis is final when no reply is newer; a stop condition that nobody judged is not stated."""
    table = world.start(*TWO)
    world.answered(table)
    world.json("synthesis", "-m", "m2 it is.")
    world.json("say", "Sure?", "--to", "a")
    world.answered(table)
    assert world.refused("end") == "no_final_synthesis"
    world.json("synthesis", "-m", "m2 it stays.")
    found = world.json("end")
    assert (found["synthesis"], found["stop_met"], found["stop_condition"]) == (
        "m2 it stays.",
        "not stated",
        "",
    )
    assert [m["seq"] for m in found["messages"]] == [2, 3, 6]


def test_an_end_cancels_what_is_open(world: World) -> None:
    """S4.25: an end closes open turns and ends their CLI; group and sessions stay, and a late reply never counts."""
    slow = world.program("slow", "cat >/dev/null; exec sleep 300")
    table = world.start("--seat", f"a={slow}", "--seat", "b=rehearsal")
    eventually(lambda: world.processes("sleep 300"), what="the CLI runs")
    found = world.json("end", "--without-synthesis")
    assert found["synthesis"] is None
    assert world.turns(table)["m1/a"] == "cancelled"
    eventually(lambda: not world.processes("sleep 300"), what="the CLI is gone")
    (seat,) = [one for one in world.snapshot(table)["seats"] if one["slug"] == "a"]
    assert seat["failures"] == "0"
    sessions = {one["name"] for one in world.json("deck", "list")["sessions"]}
    assert f"{table}--a" in sessions
    late = world.json(
        "reply", "-m", "## Position\nLate.", "--as", "participant/a", "--turn", "m1/a", "-t", table
    )
    assert late["late"] is True


def test_archive(world: World) -> None:
    """S4.26: refused while replies are undrained; removes the sessions of this table, and the last one the tmux server."""
    table = world.start(*TWO)
    other = world.start("--seat", "c=rehearsal", topic="Other")
    world.answered(table)
    world.answered(other)
    world.json("say", "One more", "--to", "a", "-t", table)
    world.answered(table)
    world.json("end", "--without-synthesis", "-t", table)
    world.json("post", "-m", "unread", "--as", "user", "-t", table)
    assert world.refused("archive", "-t", table) == "undrained"
    assert world.snapshot(table)["table"]["state"] == "ended"
    world.text("drain", "-t", table)
    found = world.json("archive", "-t", table)
    assert set(found["sessions_removed"]) == {f"{table}--a", f"{table}--b", naming.host_session(table)}
    assert set(world.sessions()) == {f"{other}--c", naming.host_session(other)}
    assert world.json("archive", "-t", table)["state"] == "archived"
    assert world.refused("say", "x", "-t", table) == "table_archived"
    assert world.refused("end", "-t", table) == "table_archived"
    assert len(world.record(table)) == found["record"]
    world.json("archive", "-t", other, "--without-synthesis")
    eventually(lambda: not world.processes("tmux"), what="no tmux server")
    assert world.processes("valkey") or world.processes("redis"), "the bus stays"


@pytest.mark.full
def test_an_archive_that_was_killed_is_done_again(world: World) -> None:
    """S4.26: archive is safe to repeat after it died half way."""
    table = world.start(*TWO)
    world.answered(table)
    world.json("end", "--without-synthesis")
    for delay in (0.2, 0.3, 0.4):
        cut = world.popen("archive", "-t", table)
        try:
            cut.wait(delay)
        except subprocess.TimeoutExpired:
            cut.kill()
            cut.wait()
    assert world.json("archive", "-t", table)["state"] == "archived"
    assert not world.sessions()


def test_resume_after_an_end_and_after_an_archive(world: World) -> None:
    """S4.27: the same seats, record, unread and decisions come back, with a host; the next question is answered."""
    table = world.start(*TWO, "--stop-when", "we agree")
    world.answered(table)
    world.json("end", "--without-synthesis")
    found = world.json("resume", table)
    assert (found["table"], found["record"], found["unread"], found["open_turns"]) == (table, 3, 0, [])
    assert (found["stop_condition"], set(found["seats"])) == ("we agree", {"a", "b"})
    world.json("say", "Again?", "--to", "a")
    world.answered(table)
    world.json("archive", "--without-synthesis")
    assert not world.sessions()
    out = world.text("resume")
    assert f"{table} is back" in out
    assert "m1–m5, nothing lost" in out
    world.json("say", "And again?")
    world.answered(table)
    assert [m["kind"] for m in world.record(table)].count("reply") == 5
    assert world.json("resume", table)["seats"] == {"a": "running", "b": "running"}


@pytest.mark.full
def test_resume_names_what_is_missing(world: World) -> None:
    """S4.27: a folder or CLI that is gone is named and nothing is changed; --cwd gives another folder."""
    agent = world.program("agent", ECHO)
    place = world.work / "place"
    place.mkdir()
    table = world.start("--seat", f"a={agent}", "--cwd", str(place))
    world.answered(table)
    world.json("archive", "--without-synthesis")
    place.rmdir()
    assert world.refused("resume", table, exit_code=2) == "workdir_missing"
    (world.work / "agent").rename(world.work / "elsewhere")
    assert world.refused("resume", table, "--cwd", str(world.work)) == "cli_missing"
    assert world.snapshot(table)["table"]["state"] == "archived"
    (world.work / "elsewhere").rename(world.work / "agent")
    world.json("resume", table, "--cwd", str(world.work))
    world.json("say", "Here?")
    world.answered(table)
    assert set(world.turns(table).values()) == {"answered"}
    assert world.refused("resume", "rt-nothing") == "unknown_table"


def test_everything_killed_and_resumed(world: World) -> None:
    """S4.27: after a reboot, every process gone at once, a resume has the open turn answered and no seat struck."""
    gate = world.work / "gate"
    slow = world.program("slow", f"while [ ! -e '{gate}' ]; do sleep 0.05; done; {ECHO}")
    table = world.start("--seat", f"a={slow}", "--seat", "b=rehearsal")
    eventually(lambda: world.turns(table)["m1/b"] == "answered", what="b answered")
    eventually(lambda: world.processes("slow"), what="a's CLI runs")
    doomed = world.processes()
    for process in doomed:
        with suppress(psutil.NoSuchProcess):  # the death of one may end another
            process.kill()
    psutil.wait_procs(doomed, 5)
    gate.touch()
    found = world.json("resume", table)
    assert found["open_turns"] == ["m1/a"]
    world.answered(table)
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"]
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}

"""`rt watch` in a real terminal, and in a pipe: what a person sees, what their keys do, and how it leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from rt_mailbox import journal, keys, records, server, tables
from tests import showcase
from tests.cli.laid import Laid
from tests.cli.world import World
from tests.helpers import BIN, Bus, eventually, rt
from tests.unit.test_watching import HOSTILE
from tests.watched import READY, SIZES, golden, masked, watching

GATE = {"gate": "r2.gate", "gate_reason": "round_over", "gate_options": '["continue", "steer", "stop"]'}


def bodies(laid: Laid, person: str) -> list[str]:
    """What a person said."""
    found = records.messages(laid.door, laid.table, laid.group, [(1, 1 << 50)])
    return [one["body"] for one in found if one["from"] == person]


def test_the_screen_at_three_sizes(bus: Bus, rt_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 6: degraded first, seats with turn and time left, the record by rounds, what to type; redrawn when resized."""
    monkeypatch.setenv("TZ", "UTC")
    laid = showcase.lay(bus)
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        terminal.shows(READY, "m11")
        for size in SIZES:
            assert masked(terminal.resized(*size)) == golden(*size).read_text(encoding="utf-8")
    assert laid.unread() == 8  # looking marked nothing


def test_a_hostile_record(bus: Bus, rt_home: Path) -> None:
    """Issue 6: escape sequences, RTL overrides, a line of a MiB, HTML and wide characters stay text in their own lines; NO_COLOR."""
    laid = Laid(bus, "evil", topic="Hostile \x1b[2J\u202etopic")
    step = laid.ask("What \x1b]0;pwned\x07now?", "evil")
    laid.reply(f"{step}/evil", f"{HOSTILE}\n\n" + "表" * 200)
    laid.post("user", "x" * (1 << 20))
    with watching(rt_home.parent, "-t", laid.table, env={"NO_COLOR": "1"}) as terminal:
        screen = terminal.shows("more characters: rt show m3 --from 20000", READY)
        assert "Hostile [2Jtopic" in screen
        terminal.type("g")
        screen = terminal.shows("<script>alert(1)</script>", "<div>block</div>", "G end")
        assert screen.rstrip("\n").split("\n")[23].endswith(READY)
        assert "\u202e" not in screen
        assert terminal.tmux("display-message", "-p", "-t", "w", "#{pane_title}").strip() != "pwned"
        styled = terminal.tmux("capture-pane", "-e", "-p", "-t", "w")
        assert "\x1b[1m" in styled  # bold is no colour
        assert re.search(r"\x1b\[(?:3[0-7]|9[0-7]|38)", styled) is None
        assert "\x1b]8" not in styled


def test_lines_in_a_pipe(bus: Bus) -> None:
    """Issue 6: without a terminal the record as lines or as JSON, one object a line, filtered; it ends when the table has."""
    laid = showcase.lay(bus)
    laid.mark("ended")
    text = rt("watch", "-t", laid.table, "--round", "2")
    assert text.returncode == 0
    assert "m11 · user · note · round 2" in text.stdout
    assert "m2 ·" not in text.stdout
    assert text.stdout.endswith("— ended —\n")
    found = rt("watch", "-t", laid.table, "--seat", "skeptic", "--json")
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert [one["message"]["seq"] for one in lines if "message" in one] == [3, 10]
    assert {one["event"]["seat"] for one in lines if "event" in one} == {"skeptic"}
    assert laid.unread() == 8


@pytest.mark.full
def test_lines_come_as_they_are_said(bus: Bus) -> None:
    """Issue 6: a pipe gets each message when it is said, and with --new none from before; a seat that is none is said."""
    laid = showcase.lay(bus)
    wrong = rt("watch", "-t", laid.table, "--seat", "eve", "--json")
    assert json.loads(wrong.stderr.splitlines()[-1])["error_code"] == "unknown_seat"
    with subprocess.Popen(
        [BIN / "rt", "watch", "-t", laid.table, "--new"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "— systems is still answering —\n"
        laid.post("user", "Once more.")
        assert process.stdout.readline() == "m12 · user · note · round 2\n"
        process.terminate()


@pytest.mark.full
def test_keys_at_a_table(world: World) -> None:
    """Issue 6: say asks the seats as the user, drain marks read, a seat opens and comes back, jump and filter, q leaves."""
    table = world.start("--seat", "a=rehearsal", "--seat", "b=rehearsal")
    world.answered(table)
    with watching(world.base) as terminal:
        terminal.shows("2 unread", READY)
        terminal.type("s")
        terminal.shows("say to all seats:")
        terminal.type(text="@b What would — 日本 — change your mind?")
        terminal.shows("日本 — change your mind?")
        terminal.type("Enter")
        terminal.shows("Asked b")
        world.answered(table)
        assert world.record(table)[3]["from"] == "user"
        assert [name for name in world.turns(table) if name.startswith("m4")] == ["m4/b"]
        terminal.shows("answered  m5")
        terminal.type("d")
        terminal.shows("read up to m5")
        assert world.json("status")["waiting"]["reason"].startswith("no turn is open")
        terminal.type("/")
        terminal.type(text="a")
        terminal.type("Enter")
        terminal.shows("only a")
        terminal.type("m")
        terminal.type(text="3")
        terminal.type("Enter")
        terminal.shows("▌  m3")
        terminal.type("o")
        terminal.shows("open seat:")
        terminal.type("C-u")
        terminal.type(text="b")
        terminal.type("Enter")
        terminal.shows("leave C-b d", "1:b")
        terminal.type("C-b", "d")
        terminal.shows("▌  m3", READY)
        terminal.type("q")
        terminal.shows("exit 0 icanon echo")


@pytest.mark.full
def test_a_gate_in_the_terminal(bus: Bus, rt_home: Path) -> None:
    """Issue 6: at a gate the digits decide, as the user, with the text in the record."""
    laid = showcase.lay(bus)
    tables.set_table(laid.door, laid.table, GATE, event="gate")
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        terminal.shows("1 continue  2 steer  3 stop   round over")
        terminal.type("2")
        terminal.shows(" steer:")
        terminal.type(text="Only the cost.")
        terminal.type("Enter")
        terminal.shows("Decided: steer.")
    stood = journal.get(laid.door, laid.table, keys.decision("r2.gate"))
    assert stood is not None
    assert (stood["choice"], stood["person"]) == ("steer", "user")
    assert bodies(laid, "user")[-1] == "Only the cost."


@pytest.mark.full
@pytest.mark.parametrize(("how", "code"), [("C-c", 130), ("TERM", 143), ("HUP", 129), ("INT", 130)])
def test_the_terminal_comes_back(bus: Bus, rt_home: Path, how: str, code: int) -> None:
    """Issue 6: whatever ends it, the screen of before is back, with echo and whole lines."""
    laid = showcase.lay(bus)
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        terminal.shows(READY, "m11")
        if how == "C-c":
            terminal.type("C-c")
        else:
            os.kill(terminal.pid(), signal.Signals[f"SIG{how}"])
        screen = terminal.shows(f"exit {code} icanon echo")
        assert READY not in screen
        assert "Traceback" not in screen


@pytest.mark.full
def test_a_broken_core_gives_the_terminal_back(bus: Bus, rt_home: Path) -> None:
    """Issue 6: an error nobody expected ends it with its message on the screen of before."""
    laid = showcase.lay(bus)
    laid.door.command("HSET", f"rt:{{{laid.table}}}:table", "degraded", "no json")
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        screen = terminal.shows("exit 1 icanon echo")
        assert "JSONDecodeError" in screen


@pytest.mark.full
def test_a_bus_that_goes_and_comes_back(bus: Bus, rt_home: Path) -> None:
    """Issue 6: without the bus the screen says so and stays; it goes on when the bus is back, with what was said meanwhile."""
    laid = showcase.lay(bus)
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        terminal.shows(READY, "m11")
        server.stop(bus.settings, 5.0)
        terminal.shows("LOST", READY)
        terminal.type("s")
        terminal.type(text="Not lost.")
        terminal.type("Enter")
        terminal.shows("say, for the next step: Not lost.", "does not answer")
        server.ensure(bus.settings, lambda _line: None)
        laid.door.close()
        laid.post("user", "I am back.")
        assert "LOST" not in terminal.shows("I am back.")
        terminal.type("Enter")
        eventually(lambda: bodies(laid, "user")[-1] == "Not lost.", what="said once")
        terminal.type("q")
        terminal.shows("exit 0 icanon echo")


@pytest.mark.full
def test_suspended_and_brought_back(bus: Bus, rt_home: Path) -> None:
    """Issue 6: Ctrl-Z gives the terminal to the shell, fg draws the screen again."""
    laid = showcase.lay(bus)
    with watching(rt_home.parent, "-t", laid.table) as terminal:
        terminal.shows(READY, "m11")
        process = psutil.Process(terminal.pid())
        terminal.type("C-z")
        eventually(lambda: process.status() == psutil.STATUS_STOPPED, what="stopped")
        assert READY not in terminal.screen()
        process.send_signal(signal.SIGCONT)
        terminal.shows(READY, "m11")

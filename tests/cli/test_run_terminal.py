"""rt run as a person sees it: in a real terminal a block that redraws and prompts at gates, in a pipe plain lines."""

from __future__ import annotations

import json

import pytest

from tests.cli.terminal import terminal
from tests.cli.world import World

SLOW = "cat >/dev/null; while [ ! -e go ]; do sleep 0.05; done; echo '## Position'; echo Here."
AUDIT = "rt run 'Is it sound?' --format panel --rounds 3 --seat a=rehearsal:agree --seat b=rehearsal:dissent --moderator rehearsal"


def test_a_run_on_a_terminal_is_one_block_that_redraws(world: World) -> None:
    """Who was asked, reads, has answered, in place; Ctrl-C leaves it at work; rt resume follows it to its report."""
    slow = world.program("slow", SLOW)
    seats = f"--seat ann=rehearsal:agree --seat 'bob={slow}' --role ann=A --role bob=B --moderator rehearsal"
    with terminal(world, 80, 24) as me:
        me.type(f"rt run 'Slowly?' --format table --rounds 1 {seats}; echo exit $?")
        screen = me.shows("ann  answered", "bob  reading", "Ctrl-C leaves it")
        assert screen.count("table, round 1") == 1
        me.tmux("send-keys", "-t", "me", "C-c")
        me.shows("exit 130", "rt resume rt-")
        assert world.json("status")["turns"][1]["outcome"] == "open"
        me.type("clear; rt resume; echo exit $?")
        screen = me.shows("bob  reading")
        assert "round 0" not in screen
        (world.work / "go").touch()
        me.shows("report  /", "exit 0")
        assert "round 1: 2 of 2 answered (m2–m3)" in me.tmux("capture-pane", "-p", "-t", "me", "-S", "-100")


def test_a_gate_asks_at_the_terminal(world: World) -> None:
    """S1.19, S2.28: only what is disputed stands at the prompt; what is said with steer is a message of the user's, the next round asks."""
    with terminal(world, 160, 50) as me:
        me.type(f"{AUDIT}; echo exit $?")
        screen = me.shows("What now? (continue, steer, stop)")
        asked = screen[screen.index("Round 2 of 3") :]
        assert "F2" in asked
        assert "F1" not in asked  # settled
        me.type("steer")
        me.shows("Say to every seat")
        me.type("Look at the invoices.")
        me.shows("m7 goes to every seat", "round 3: 2 of 2 answered", "No round is left")
        me.type("")
        me.shows("no consensus", "exit 0")
    table = world.json("list")["tables"][0]["table"]
    note = next(m for m in world.record(table) if m["seq"] == 7)
    assert (note["from"], note["kind"], note["body"]) == ("user", "note", "Look at the invoices.")
    assert all(world.json("show", f"r3/{slug}")["request"].count("the invoices.") == 1 for slug in "ab")


@pytest.mark.full
def test_whoever_leaves_the_question_of_a_gate_leaves_the_table_there(world: World) -> None:
    """Ctrl-C at the prompt: exit 3 with the lines to type; decided from elsewhere, it goes on."""
    with terminal(world, 160, 50) as me:
        me.type(f"{AUDIT}; echo exit $?")
        me.shows("What now?")
        me.tmux("send-keys", "-t", "me", "C-c")
        screen = me.shows("exit 3")
    table = world.json("list")["tables"][0]["table"]
    assert f"rt decide stop -t {table}" in screen
    assert world.json("decide", "stop")["choice"] == "stop"
    assert world.json("wait", "--for", "gate", "--timeout", "20")["ready"]  # not the old gate
    assert world.json("status")["state"] == "done"


@pytest.mark.full
def test_a_run_in_a_pipe_says_plain_lines(world: World) -> None:
    """Without a terminal: a line each, no control characters; --json --events: each event a JSON line on stderr."""
    seats = ["--seat", "a=rehearsal", "--seat", "b=rehearsal:dying", "--moderator", "rehearsal"]
    done = world.run("run", "In a pipe?", "--format", "table", "--rounds", "1", *seats)
    assert done.returncode == 0
    said = done.stderr
    assert "\x1b" not in said + done.stdout
    for text in (
        "asked      a and b   (r1, round 1)",
        "answered   a  m",
        "! b attempt 1 failed: exit 3",
        "! b dropped",
    ):
        assert text in said
    done = world.run(
        "run", "In JSON?", "--format", "table", "--rounds", "1", *seats[:2], *seats[4:], "--json", "--events"
    )
    kinds = [json.loads(line)["type"] for line in done.stderr.splitlines() if line.startswith("{")]
    assert kinds[0] == "created"
    assert {"step", "leased", "replied", "jobs", "concluded"} <= set(kinds)
    assert json.loads(done.stdout)["result"] == "answered"


@pytest.mark.full
def test_a_run_that_nobody_answers_or_agrees_in(world: World) -> None:
    """S0.31, S2.23: nobody answers: exit 1 with the lines to type; --require-consensus without any: exit 1 no_consensus, all is kept."""
    dying = ["--seat", "a=rehearsal:dying", "--seat", "b=rehearsal:dying", "--moderator", "rehearsal"]
    done = world.run("run", "Anybody?", "--format", "debate", "--no-search", *dying)
    assert done.returncode == 1
    assert "0 agents responded" in done.stdout
    table = world.json("list")["tables"][0]["table"]
    for line in (f"rt decide retry -t {table}", f"rt resume {table}"):
        assert line in done.stdout
    apart = ["--seat", "a=rehearsal:agree", "--seat", "b=rehearsal:dissent", "--moderator", "rehearsal"]
    words = ("run", "Agreed?", "--format", "panel", "--on-deadlock", "stop", "--no-veto", *apart)
    done = world.run(*words, "--require-consensus", "--json")
    assert done.returncode == 1
    found = json.loads(done.stderr.splitlines()[-1])
    assert found["error_code"] == "no_consensus"
    assert found["hint"].endswith("report.md")
    assert json.loads(done.stdout)["result"] == "no_consensus"


@pytest.mark.full
def test_a_hook_hands_a_message_over_and_has_the_table_at_once(world: World) -> None:
    """S0.10: `rt run -` takes the topic from stdin and, detached, gives the id while the seats still think."""
    slow = world.program("slow", SLOW)
    words = (
        "run",
        "-",
        "--format",
        "table",
        "--rounds",
        "1",
        "--seat",
        f"a={slow}",
        "--moderator",
        "rehearsal",
    )
    found = world.json(*words, "--detach", stdin="Which of two\nqueues?\n")
    assert world.snapshot(found["table"])["table"]["topic"] == "Which of two\nqueues?"
    assert world.json("status")["result"] is None
    (world.work / "go").touch()
    world.json("wait", "--for", "gate", "--timeout", "30")
    assert world.json("show", "report")["result"] == "answered"

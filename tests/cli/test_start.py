"""`rt start`: what it says, makes, and leaves alone."""

from __future__ import annotations

import json
import os
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from rt_moderator import naming
from tests.cli.world import ECHO, World

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


def test_a_table_is_laid(world: World) -> None:
    """S0.1, S4.4, S4.5: the JSON of a start names the table, its group and every seat; each is asked exactly once."""
    found = world.json("start", "Should we cache?", *TWO, "--role", "a=Skeptic", "--viewpoint", "b=costs")
    table = found["table"]
    assert set(found) == {"table", "group", "format", "duplicate", "seats", "degraded", "attach"}
    assert (found["group"], found["format"], found["duplicate"]) == (
        f"group/roundtable-{table}",
        "open",
        False,
    )
    assert [set(seat) for seat in found["seats"]] == [
        {"slug", "person", "role", "profile", "transport", "session", "state", "reason"}
    ] * 2
    first = found["seats"][0]
    assert (first["person"], first["role"], first["session"]) == (
        "participant/a",
        "Skeptic",
        f"roundtable-{table}-a",
    )
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered", "m1/b": "answered"}
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"]
    assert set(world.sessions()) == {f"{table}--a", f"{table}--b", naming.host_session(table)}


def test_what_bounds_the_discussion_is_in_the_opening(world: World, tmp_path: Path) -> None:
    """S4.12: topic, goal, audience, constraint, stop condition and context file are the opening message."""
    (tmp_path / "notes.txt").write_bytes(b"first\nsecond \xff")
    options = ("--goal", "G", "--audience", "A", "--constraint", "C", "--stop-when", "S")
    table = world.start(*TWO, *options, "--context", str(tmp_path / "notes.txt"), topic=" Cache? ")
    body = world.record(table)[0]["body"]
    assert body.startswith("Cache?\n")
    for line in ("Goal: G", "Audience: A", "Constraint: C", "Stop when: S", "first", "second �"):
        assert line in body


def test_a_dry_run_makes_nothing(world: World) -> None:
    """S1.7, S0.35: --dry-run shows the plan, its calls and what they cost, as text and as JSON; not even a bus is started."""
    told = {
        "seats": [{"profile": "rehearsal", "requested_model": None, "usage": {"calls": 2, "cost_usd": 0.1}}]
    }
    earlier = Path(os.environ["RT_HOME"], "tables", "rt-earlier", "result.json")
    earlier.parent.mkdir(parents=True)
    earlier.write_text(json.dumps(told))
    plan = world.json("start", "Cache?", "--dry-run")
    assert [seat["slug"] for seat in plan["seats"]] == [
        "systems",
        "builder",
        "skeptic",
        "advocate",
        "contrarian",
    ]
    assert (plan["calls_per_step"], plan["usd_per_step"]) == (5, 0.25)
    assert {seat["transport"] for seat in plan["seats"]} == {"headless"}
    text = world.text("start", "Cache?", *TWO, "--dry-run")
    assert "2 seats" in text
    assert "2 calls a step. Earlier runs priced rehearsal: about $0.10 a step." in text
    assert "rehearsal headless" in text
    assert "Nothing was made" in text
    assert not world.processes()


def test_without_a_terminal_the_plan_is_all(world: World) -> None:
    """S4.10: without --seat, --yes or a terminal the plan goes to stderr, exit 2, and nothing exists."""
    done = world.run("start", "Cache?")
    assert done.returncode == 2
    assert "skeptic" in done.stderr
    assert "confirmation_needed" in done.stderr
    assert not world.processes()


def test_yes_takes_the_proposal(world: World) -> None:
    """S4.11: --yes starts the proposed seats less those that --skip names."""
    skipped = [word for slug in ("systems", "advocate", "contrarian") for word in ("--skip", slug)]
    out = world.text("start", "Cache?", "--yes", *skipped)
    table = out.split()[0]
    assert [seat["slug"] for seat in world.snapshot(table)["seats"]] == ["builder", "skeptic"]


def test_seats_from_a_file(world: World) -> None:
    """S4.11: --seats FILE and --seat add up; a seats file may name any command."""
    world.program("agent", ECHO)
    rows = {"slug": "f", "role": "Filed", "command": [str(world.work / "agent")]}
    body = "".join(f"{key} = {json.dumps(value)}\n" for key, value in rows.items())
    (world.work / "seats.toml").write_text(f"[[seat]]\n{body}")
    table = world.start("--seats", "seats.toml", "--seat", "a=rehearsal")
    world.answered(table)
    assert {m["from"] for m in world.record(table, "reply")} == {"participant/f", "participant/a"}


def test_the_topic_from_stdin(world: World) -> None:
    """`-` reads the topic; an empty one is refused."""
    found = world.json("start", "-", *TWO, stdin="Which\ncache?\n")
    assert world.record(found["table"])[0]["body"] == "Which\ncache?"
    assert world.refused("start", "-", *TWO, stdin=" \n") == "empty_body"


def test_the_same_topic_goes_on(world: World) -> None:
    """S0.9: an open table of the same topic is reused and told so in its record; --new makes another, called -2."""
    table = world.start(*TWO, topic="Which cache?")
    world.answered(table)
    again = world.json("start", "  which CACHE ", *TWO)
    assert (again["table"], again["duplicate"]) == (table, True)
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply", "note"]
    other = world.json("start", "Which cache?", *TWO, "--new")
    assert (other["table"] != table, other["duplicate"]) == (True, False)
    world.text("end", "-t", table, "--without-synthesis")
    world.text("end", "-t", other["table"], "--without-synthesis")
    third = world.json("start", "Which cache?", *TWO)
    assert (third["duplicate"], third["table"] in (table, other["table"])) == (False, False)


def test_detach_returns_the_id(world: World) -> None:
    """--detach prints nothing but the id and does not wait; the seats answer all the same."""
    slow = world.program("slow", f"sleep 0.3; {ECHO}")
    table = world.text("start", "Cache?", "--seat", f"a={slow}", "--detach").strip()
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered"}


@pytest.mark.full
def test_another_tables_synthesis_as_context(world: World) -> None:
    """S0.7: --context-from takes the latest synthesis along, labelled; a table without one is a warning."""
    first = world.start(*TWO, topic="One")
    world.answered(first)
    world.text("synthesis", "-m", "We agree on m2.", "-t", first)
    second = world.start(*TWO, "--context-from", first, topic="Two")
    body = world.record(second)[0]["body"]
    assert f"Prior roundtable {first}" in body
    assert "We agree on m2." in body
    done = world.run("start", "Three", *TWO, "--context-from", second, "--detach")
    assert done.returncode == 0
    assert "no synthesis" in done.stderr


REFUSED = [
    (("--seat", "..=rehearsal"), "bad_slug", 2),
    (("--seat", "a b=rehearsal"), "bad_slug", 2),
    (("--seat", "a:b=rehearsal"), "bad_slug", 2),
    (("--seat", "ünï=rehearsal"), "bad_slug", 2),
    (("--seat", "a--b=rehearsal"), "bad_slug", 2),
    (("--seat", "a=rehearsal", "--seat", "a=rehearsal"), "bad_config", 2),
    (("--seat", "a=nothing"), "unknown_profile", 2),
    (("--seat", "a=claude"), "cli_missing", 1),
    (("--seat", "a=!no-such-program"), "cli_missing", 1),
    (("--seat", "a=rehearsal", "--cwd", "/no/such"), "workdir_missing", 2),
    (("--seat", "a=rehearsal@acp"), "bad_config", 2),
    (("--seat", "a=rehearsal", "--role", "b=X"), "bad_config", 2),
    (("--seat", "a=rehearsal", "--wake-on", "never"), "bad_config", 2),
    (("--seats", "missing.toml"), "bad_config", 2),
    (("--skip", "nobody", "--yes"), "bad_config", 2),
    (("--seat", "a=rehearsal", "--format", "nothing"), "usage", 2),
]


def test_what_cannot_be_started(world: World) -> None:
    """What cannot be started is refused before a table exists, with the code and exit status of its kind."""
    wrong = {}
    for args, code, exit_code in REFUSED:
        done = world.inside("start", "Cache?", *args, "--json")
        found = done.returncode, done.stdout, json.loads(done.stderr.splitlines()[-1])["error_code"]
        if found != (exit_code, "", code):
            wrong[args] = found
    assert not wrong
    assert not (world.base / "h" / "tables").exists()
    assert world.refused("drain", exit_code=2) == "no_table"


@pytest.mark.parametrize("answers", ["n", "edit\ry"])
def test_a_person_starts_edits_or_cancels(world: World, answers: str) -> None:
    """S1.7, S4.10: on a terminal the plan with its four columns comes first and nothing exists before yes; edit changes who sits."""
    editor = world.work / "editor"
    seats = "[[seat]]\nslug = 'only'\nrole = 'Only one'\nprofile = 'rehearsal'\n"
    editor.write_text(f'#!/bin/sh\nprintf "%s" "{seats}" > "$1"\n')
    editor.chmod(0o700)
    shown, code = at_a_terminal(world, ["start", "Cache?"], answers, EDITOR=str(editor))
    assert all(
        word in shown for word in ("seat", "role", "looks at it from", "runs on", "Start it? (y, n, edit)")
    )
    if answers == "n":
        assert code != 0
        assert not world.processes()
        return
    assert code == 0, shown
    assert "1 seat (no table exists yet)" in shown
    assert [seat["slug"] for seat in world.json("status")["seats"]] == ["only"]


def at_a_terminal(world: World, args: list[str], answers: str, **env: str) -> tuple[str, int]:
    """What a terminal shows of a command that is answered at its questions, one answer each, and its exit code."""
    outer, inner = os.openpty()
    termios.tcsetwinsize(inner, (40, 140))
    process = world.popen(*args, env=env, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    shown, waiting = "", answers.split("\r")
    with suppress(OSError):  # the terminal is gone when the process is
        while chunk := os.read(outer, 65_536):
            shown += chunk.decode(errors="replace")
            if waiting and shown.rstrip().endswith("[y]:"):
                os.write(outer, f"{waiting.pop(0)}\n".encode())
                shown += "\n"
    os.close(outer)
    return shown, process.wait(timeout=20)

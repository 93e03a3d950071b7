"""Odd places to run in: no UTF-8 locale, no colour, no terminal, a home with spaces, a seat, a table that is not there."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.cli.world import ECHO, World

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


def test_a_plain_locale_and_no_colour(world: World) -> None:
    """With LC_ALL=C and NO_COLOR a table with a topic beyond ASCII runs, and what was said comes back unchanged."""
    plain = {"LC_ALL": "C", "LANG": None, "NO_COLOR": "1", "TERM": "dumb"}
    agent = world.program("agent", "cat >/dev/null; printf '## Position\\nGrößer – 日本\\n'")
    done = world.run("start", "Größe oder 日本?", "--seat", f"a={agent}", "--json", env=plain)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)["table"]
    assert table.isascii()
    world.answered(table)
    assert [m["body"].strip() for m in world.record(table)] == [
        "Größe oder 日本?",
        "## Position\nGrößer – 日本",
    ]
    for args in (("status",), ("drain", "--peek"), ("drain", "--full"), ("transcript",), ("list",)):
        done = world.run(*args, env=plain)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
        assert "Traceback" not in done.stderr


def test_a_home_with_spaces(world: World) -> None:
    """RT_HOME, the working folder and a seat's program may have spaces, quotes and other signs in their names."""
    odd = world.base / "my 'odd' #{home} ü"
    odd.mkdir()
    work = odd / "work $HOME"
    work.mkdir()
    agent = work / "my agent"
    agent.write_text(f'#!/bin/sh\npwd > "{world.base}/pwd"\n{ECHO}\n')
    agent.chmod(0o700)
    env = {"RT_HOME": str(odd / "h")}
    seat = f"a=!'{str(agent).replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}'"
    try:
        table = world.json("start", "Which cache?", "--seat", seat, "--cwd", str(work), env=env)["table"]
        assert world.json("wait", "--for", "all", "--timeout", "20", env=env)["ready"]
        assert [m["kind"] for m in world.json("drain", "-t", table, env=env)["messages"]] == ["reply"]
        assert (world.base / "pwd").read_text().strip() == str(work)
        world.json("archive", "--without-synthesis", env=env)
    finally:
        world.run("bus", "stop", "--force", env=env)


def test_unknown_tables_are_named(world: World) -> None:
    """Every command about a table that does not exist says so, and makes nothing."""
    world.text("bus", "start")
    for command in (
        "say x",
        "drain",
        "wait",
        "synthesis -m x",
        "status",
        "end",
        "archive",
        "seat drop a",
        "post -m x",
    ):
        words = command.split()
        assert world.refused(*words, "-t", "rt-nothing") == "unknown_table", command
        assert world.refused(*words, "-t", "../../etc") == "unknown_table", command
    assert world.refused("say", "x", exit_code=2) == "no_table"
    assert not list(Path(os.environ["RT_HOME"]).glob("tables/*"))


def test_a_seat_may_not_moderate(world: World) -> None:
    """Inside a seat only the participant's commands work, as its own person."""
    tries = "for c in 'say x' 'end --without-synthesis' 'start y --yes' 'bus stop --force'; do rt $c; echo $?; done"
    agent = world.program(
        "agent",
        f'{{ {tries}; rt post -m mine --as participant/b; echo $?; }} > "$RT_HOME/out" 2>&1 <&-; {ECHO}',
    )
    table = world.start("--seat", f"a={agent}", "--seat", "b=rehearsal")
    world.answered(table)
    out = (world.base / "h" / "out").read_text()
    assert out.count("not_in_a_seat") == 5
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"]

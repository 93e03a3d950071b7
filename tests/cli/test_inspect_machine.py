"""bus, deck, profiles, completion and attach as a person or a script runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rt_config import processes
from rt_config.settings import Settings
from rt_deck import Deck, Spec
from rt_mailbox import server, server_status
from tests.cli.laid import TABLE, Laid
from tests.cli.test_inspect_reading import error_of, read_json
from tests.helpers import BIN, Bus, eventually, rt
from tests.integration.deck_fixtures import terminal

SLEEP = ["sleep", "600"]  # without options of its own, so that --json may follow


@pytest.fixture(name="deck")
def deck_of_this_home(rt_home: Path) -> Iterator[Deck]:
    """The deck of this test's RT_HOME, empty afterwards."""
    deck = Deck()
    try:
        yield deck
    finally:
        deck.remove_many([one.name for one in deck.list()], 0.5)
        deck.tmux.stop()


def test_bus_status_never_starts_a_server_and_start_and_stop_say_what_they_did(rt_home: Path) -> None:
    """DESIGN §4: status looks only; start twice is one server; stop returns when its process is gone."""
    found = read_json("bus", "status")
    assert found["running"] is False
    assert not (rt_home / "redis" / "s").exists()
    try:
        started = read_json("bus", "start")
        assert set(started) == {"running", "started", "url", "pid", "version"}
        assert started["started"] is True
        assert read_json("bus", "start") == started | {"started": False}
        assert f"pid {started['pid']}, up " in rt("bus", "status").stdout
        assert read_json("bus", "stop") == {"stopped": True, "sessions_removed": [], "tables": []}
        assert processes.start_time(started["pid"]) is None
        assert rt("bus", "stop").stdout == "no bus ran.\n"
    finally:
        server.stop(Settings(min_free_bytes=0), 5.0)


def test_a_foreign_server_is_not_ours_to_stop(bus: Bus) -> None:
    """RT_REDIS_URL: exit 2, and it runs on."""
    done = rt("bus", "stop", "--force", "--json", env={"RT_REDIS_URL": bus.url})
    assert done.returncode == 2
    assert error_of(done) == "usage"
    assert server_status.status(bus.settings).running


def test_bus_stop_refuses_while_a_host_lives_and_takes_the_sessions_along(bus: Bus, deck: Deck) -> None:
    """DESIGN §4: bus_busy without --force; then sessions, tmux server and bus are gone, and resume is named."""
    Laid(bus, "builder")
    deck.create(Spec(f"{TABLE}--builder", "t", "g", "/", SLEEP))
    assert error_of(rt("bus", "stop", "--json")) == "bus_busy"
    assert server_status.status(bus.settings).running
    assert [one.state for one in deck.list()] == ["running"]
    done = rt("bus", "stop", "--force")
    assert done.returncode == 0
    assert f"rt resume {TABLE}" in done.stdout
    assert "1 session removed" in done.stdout
    assert not server_status.status(bus.settings).running
    assert deck.tmux.server_pid() is None


def test_the_deck_by_hand(deck: Deck, tmp_path: Path) -> None:
    """S4.5, S4.14: create, list, resolve, require in its folder, refuse another, groups, remove; no bus is needed."""
    other = tmp_path / "other"
    other.mkdir()
    created = read_json(
        "deck",
        "create",
        "--title",
        "My Notes!",
        "--group",
        "work/x",
        "--workdir",
        str(tmp_path),
        *SLEEP,
    )
    assert set(created) == {"status", "session"}
    session = created["session"]
    assert set(session) == {
        "id", "name", "title", "group", "workdir", "command", "state", "exit_code", "activity", "viewers", "pid",
    }  # fmt: skip
    assert (session["name"], session["title"], session["state"]) == ("my-notes", "My Notes!", "running")
    assert "my-notes  running" in rt("deck", "list").stdout
    assert read_json("deck", "resolve", "nothing") == {"status": "not_found", "session": None}
    assert read_json("deck", "require", "my-notes", "--workdir", str(tmp_path))["status"] == "ready"
    assert (
        error_of(rt("deck", "require", "my-notes", "--workdir", str(other), "--json")) == "workdir_mismatch"
    )
    assert error_of(rt("deck", "create", "--title", "My Notes!", "--json", "--", *SLEEP)) == "session_exists"
    assert rt("deck", "group", "list").stdout == "work/x\n"
    assert error_of(rt("deck", "group", "delete", "work", "--json")) == "deck_group_busy"
    assert read_json("deck", "remove", "my-notes") == {
        "removed": True, "session": "my-notes", "server_stopped": True,
    }  # fmt: skip
    assert read_json("deck", "group", "delete", "work/x") == {"deleted": "work/x"}
    assert error_of(rt("deck", "require", "my-notes", "--json")) == "session_gone"


def test_a_session_that_dies_at_once_is_an_error(deck: Deck, tmp_path: Path) -> None:
    """What it last printed is in the message."""
    done = rt("deck", "create", "--title", "x", "--json", "--", "sh", "-c", "echo no login; exit 3")
    assert error_of(done) == "session_died"
    assert "(exit 3): no login" in json.loads(done.stderr)["message"]


def test_profiles_need_no_bus(rt_home: Path) -> None:
    """S4.7: list, show, and who fills the participant's role, with the argv that starts it."""
    rows = read_json("profiles", "list")["profiles"]
    assert {
        "name",
        "description",
        "family",
        "transports",
        "executable",
        "available",
        "agent",
        "default_transport",
        "unverified",
    } == set(rows[0])
    assert {"claude", "rehearsal"} <= {row["name"] for row in rows}
    assert "default_transport" in rt("profiles", "show", "claude").stdout
    found = read_json("profiles", "resolve", "--role", "roundtable_participant")
    assert set(found) == {"role", "profile", "argv", "command", "candidates"}
    assert found["profile"] == "rehearsal"
    assert found["argv"]
    assert error_of(rt("profiles", "show", "nothing", "--json")) == "unknown_profile"
    assert not (rt_home / "redis").exists()


def test_completion() -> None:
    """A shell gets its script, and the script's own call lists commands."""
    assert "_RT_COMPLETE=fish_complete" in rt("completion", "fish").stdout
    asked = {"_RT_COMPLETE": "bash_complete", "COMP_WORDS": "rt dra", "COMP_CWORD": "1"}
    assert rt(env=asked).stdout.split() == ["plain,drain"]


@pytest.mark.full
def test_without_a_terminal_attach_says_what_to_run(bus: Bus, deck: Deck) -> None:
    """S4.1: nothing is attached; a table without sessions and an unknown seat are errors."""
    Laid(bus, "builder", "skeptic")
    assert error_of(rt("attach", "--json")) == "session_gone"
    deck.create(Spec(f"{TABLE}--builder", "t", "g", "/", SLEEP))
    assert rt("attach").stdout == f"this is no terminal; in one, run:\n  rt attach -t {TABLE}\n"
    found = read_json("attach", "builder")
    assert set(found) == {"table", "command", "argv", "windows"}
    assert (found["command"], found["windows"]) == (f"rt attach -t {TABLE} builder", [f"{TABLE}--builder"])
    assert error_of(rt("attach", "nobody", "--json")) == "unknown_seat"


def test_attach_shows_the_record_and_every_seat(
    bus: Bus, deck: Deck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4.1: a view with the growing record first, then the seats; from inside another tmux too; it leaves them alone."""
    laid = Laid(bus, "builder", "skeptic")
    laid.ask("Which cache?", "builder")
    for slug in ("builder", "skeptic"):
        deck.create(Spec(f"{TABLE}--{slug}", slug, "g", "/", SLEEP))
    monkeypatch.setenv("TMUX", "/nonexistent/other,1,0")
    monkeypatch.setenv("TMUX_PANE", "%0")

    def view() -> str:
        names = deck.tmux.run("list-sessions", "-F", "#{session_name}").split()
        return next((name for name in names if name.startswith("view-")), "")

    def screen() -> str:
        return deck.tmux.run("capture-pane", "-p", "-t", f"={view()}:0")

    with terminal([str(BIN / "rt"), "attach"]):
        eventually(view, what="the view")
        listed = deck.tmux.run("list-windows", "-t", f"={view()}:", "-F", "#{window_name}").split()
        assert listed == ["record", "builder", "skeptic"]
        eventually(
            lambda: "Which cache?" in screen() and "builder is still answering" in screen(), what="the record"
        )
        laid.reply("m1/builder", "None \x1b[31mat all.")
        eventually(lambda: "None [31mat all." in screen(), what="the reply")
    eventually(lambda: not view(), what="the view's end")
    assert [one.state for one in deck.list()] == ["running", "running"]


def test_help_of_every_command_has_an_example(rt_home: Path) -> None:
    """DESIGN §7: each inspecting command shows one, and the hidden one is not listed."""
    script = (
        "from rt_moderator.cli.app import rt, _MODULES\n"
        "import click\n"
        "ctx = click.Context(rt)\n"
        "names = 'drain show search transcript status list events set turn-cancel turn-extend attach completion bus deck "
        "profiles'.split()\n"
        "print([n for n in names if 'Example' not in rt.get_command(ctx, n).get_help(ctx)])\n"
        "print('tail' in rt.list_commands(ctx))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.splitlines() == ["[]", "False"]

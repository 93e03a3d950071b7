"""Making sessions: what runs, where, with which environment, and what a refused or failed create leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rt_config.errors import (
    CliMissingError,
    RoundtableError,
    SessionExistsError,
    TmuxTimeoutError,
    UsageError,
    WorkdirMissingError,
)
from rt_deck import Deck, creation, launch
from tests.helpers import eventually
from tests.integration.deck_fixtures import dead, deck_of_its_own, ready, sh, spec, terminal  # noqa: F401

REPORT = """
import json, os, sys
json.dump({"env": dict(os.environ), "argv": sys.argv[2:], "cwd": os.getcwd()}, open(sys.argv[1] + ".part", "w"))
os.rename(sys.argv[1] + ".part", sys.argv[1])
"""


def report(file: Path) -> dict[str, object]:
    """What a session that runs REPORT wrote."""
    eventually(file.exists, what="the session's report")
    found: dict[str, object] = json.loads(file.read_text())
    return found


def test_created_sessions_are_listed_as_they_were_made(deck: Deck) -> None:
    """S4.5: title, group, folder and name come back from tmux, and each of the three references finds the session."""
    made = deck.create_many([spec("b"), spec("a")])
    assert [one.name.rpartition("--")[2] for one in made] == ["b", "a"]
    assert sorted(one.name for one in made) == [one.name for one in deck.list()]
    found = deck.require("roundtable-rt-20261130-1412-x-a", str(Path(os.environ["RT_HOME"]).parent))
    assert found.group == "parent/roundtable-rt-20261130-1412-x"
    assert found.state == "running"
    assert found.exit_code is None
    assert deck.resolve(found.name) == deck.resolve(found.id) == found
    assert deck.groups() == [found.group]


def test_environment_and_arguments_arrive_unchanged(deck: Deck, tmp_path: Path) -> None:
    """T5: values and arguments with every awkward character arrive byte for byte, and never show in tmux or ps."""
    value = "x=y;$HOME #{pid} \"q\"\n'nl' `id` \\ é;"
    argv = [";", "a\\;", "a;", "$HOME", "#{pid}", "it's", "", "-x", "é\n", value]
    made = deck.create(spec("a", sys.executable, "-c", REPORT, str(tmp_path / "r"), *argv, SECRET=value))
    found = report(tmp_path / "r")
    assert found["argv"] == argv
    env = found["env"]
    assert isinstance(env, dict)
    assert env["SECRET"] == value
    assert env["RT_SESSION"] == made.name
    assert value not in deck.tmux.run("show-environment", "-t", f"={made.name}")
    assert not list(Path(os.environ["RT_HOME"], "deck").glob("*.launch"))


def test_nothing_of_a_poisoned_server_or_of_the_caller_leaks(
    deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T5: an agent's and a table's variables stay out, whoever started the server; a later PATH is the caller's."""
    poison = {"CLAUDECODE": "1", "CLAUDE_CODE_X": "1", "CODEX_HOME": "x", "RT_SEAT": "skeptic", "SECRET": "1"}
    start = ["tmux", "-S", deck.tmux.socket, "-f", "/dev/null", "new-session", "-d", "-s", "theirs", "cat"]
    subprocess.run(start, env={**os.environ, **poison}, check=True)
    monkeypatch.setenv("OPENAI_API_KEY", "caller")
    monkeypatch.setenv("LC_PAPER", "late")
    deck.create(spec("a", sys.executable, "-c", REPORT, str(tmp_path / "r"), MINE="1"))
    env = report(tmp_path / "r")["env"]
    assert isinstance(env, dict)
    assert not {*poison, "OPENAI_API_KEY", "TMUX", "TMUX_PANE"} & env.keys()
    assert env["LC_PAPER"] == "late"
    assert env["MINE"] == "1"
    assert deck.tmux.run("display-message", "-p", "#{exit-empty} #{remain-on-exit}").strip() == "0 on"
    assert [one.name for one in deck.list()] == ["rt-20261130-1412-x--a"]  # theirs is not ours


def test_long_commands_start(deck: Deck, tmp_path: Path) -> None:
    """T7: a command line far over tmux's 16 KB starts."""
    deck.create(spec("a", sys.executable, "-c", REPORT, str(tmp_path / "r"), "x" * 100_000))
    assert report(tmp_path / "r")["argv"] == ["x" * 100_000]


def test_sessions_start_in_their_folder(deck: Deck, tmp_path: Path) -> None:
    """T5: a folder whose name tmux would expand is the working directory."""
    folder = tmp_path / "a #{pid} %H;'é"
    folder.mkdir()
    made = deck.create(
        replace(spec("a", sys.executable, "-c", REPORT, str(tmp_path / "r")), workdir=str(folder))
    )
    assert report(tmp_path / "r")["cwd"] == str(folder)
    assert made.workdir == str(folder)


@pytest.mark.parametrize(
    "name", ["a.b", "a:b", "", "-x", "=x", "$1", "%1", "a b", "a;", "a#{pid}", "a\nb", "é", "a" * 300, "A"]
)
def test_names_that_tmux_would_misread_are_refused(deck: Deck, name: str) -> None:
    """T4: a name outside the deck's alphabet is a usage error and nothing is started."""
    with pytest.raises(UsageError):
        deck.create(replace(spec("a"), name=name))
    assert not Path(deck.tmux.socket).exists()


def test_missing_folder_and_missing_program_are_named(deck: Deck) -> None:
    """T3: both are found out before anything is started."""
    with pytest.raises(WorkdirMissingError, match="/nowhere"):
        deck.create_many([spec("a"), replace(spec("b"), workdir="/nowhere")])
    with pytest.raises(CliMissingError, match="no-such-agent") as caught:
        deck.create(replace(spec("a", "no-such-agent"), install="npm i no-such-agent"))
    assert caught.value.advice == "npm i no-such-agent"
    assert not Path(deck.tmux.socket).exists()


def test_the_program_is_looked_up_on_the_sessions_path(deck: Deck, tmp_path: Path) -> None:
    """T3: PATH of the session decides, not the caller's."""
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho found; cat\n")
    program.chmod(0o755)
    made = deck.create(spec("a", "agent", PATH=f"{tmp_path}:{os.environ['PATH']}"))
    ready(deck, made.name, "found")


def test_exit_codes_are_never_wrong(deck: Deck) -> None:
    """T3: 0, 7, 127 and a SIGKILL on a cold server are each reported as they were, five times each."""
    scripts = {0: "exit 0", 7: "exit 7", 127: "no-such-command", 137: "kill -9 $$"}
    deck.create_many(
        [spec(f"c{code}-{n}", *sh(script)) for code, script in scripts.items() for n in range(5)]
    )
    found = deck.settle([one.name for one in deck.list()], 10)
    assert len(found) == 20
    wanted = {one.name: int(one.name.rpartition("--c")[2].split("-")[0]) for one in found}
    # the shim's record and tmux may each be a moment behind the pane's end
    eventually(lambda: {one.name: one.exit_code for one in deck.list()} == wanted, what="all exit codes")


def test_a_lost_record_is_unknown_or_right_but_never_success(deck: Deck) -> None:
    """T3: when the shim is killed along with its command, the exit code is not 0."""
    made = deck.create(spec("a", *sh('kill -9 "$PPID" $$')))
    assert dead(deck, made.name).exit_code in {None, 137}


def test_an_interrupt_is_the_commands_business(deck: Deck) -> None:
    """T3: Ctrl-C in the pane reaches the command alone: it may go on, and its exit code is still recorded."""
    made = deck.create(
        spec("a", *sh("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done"))
    )
    ready(deck, made.name)
    deck.tmux.run("send-keys", "-t", made.pane_id, "C-c")
    ready(deck, made.name, "caught")
    eventually(lambda: deck.require(made.name).exit_code == 5, what="exit code 5")


def test_an_early_death_is_told_with_its_last_output(deck: Deck) -> None:
    """T3: `settle` returns as soon as all are dead, and `death` says how it went."""
    made = deck.create(spec("a", *sh("echo no key; exit 3")))
    started = time.monotonic()
    (session,) = deck.settle([made.name], 20)
    assert time.monotonic() - started < 10
    assert session.exit_code == 3
    assert "exit 3" in str(deck.death(session))
    assert "no key" in str(deck.death(session))


def test_a_restart_does_not_read_the_earlier_exit_code(deck: Deck) -> None:
    """T3: the record of an earlier run of the same name is not the record of this one."""
    made = deck.create(spec("a", *sh("exit 7")))
    assert dead(deck, made.name).exit_code == 7
    with pytest.raises(SessionExistsError):
        deck.create(spec("a"))
    deck.remove(made.name)
    deck.create(spec("a", *sh('kill -9 "$PPID" $$')))
    assert dead(deck, made.name).exit_code in {None, 137}


def test_a_refused_batch_leaves_nothing(deck: Deck, tmp_path: Path) -> None:
    """T16: when tmux refuses the third of three, the two before it are gone, and the stranger stays."""
    deck.create(spec("other"))
    deck.tmux.run("new-session", "-d", "-s", "rt-20261130-1412-x--c", "--", "cat")  # by hand: not in our list
    with pytest.raises(SessionExistsError):
        deck.create_many([spec("a", *sh("setsid sleep 99 & cat")), spec("b"), spec("c")])
    assert [one.name for one in deck.list()] == ["rt-20261130-1412-x--other"]
    assert "rt-20261130-1412-x--c" in deck.tmux.run("list-sessions", "-F", "#{session_name}").split()
    assert {path.name for path in Path(os.environ["RT_HOME"], "deck").glob("*.mark")} == {
        "rt-20261130-1412-x--other.mark"
    }


def test_what_a_timed_out_create_leaves_is_replaced(deck: Deck, monkeypatch: pytest.MonkeyPatch) -> None:
    """T16: a create that got no answer may still come up; the next create replaces it and there is one session."""
    deck.create(spec("other"))
    pid = deck.tmux.server_pid()
    assert pid is not None
    monkeypatch.setattr(creation, "_SECONDS", 0.2)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TmuxTimeoutError):
        creation.make(deck.tmux, deck._files, [launch.checked(spec("a"))])
    os.kill(pid, signal.SIGCONT)
    monkeypatch.setattr(creation, "_SECONDS", 5.0)
    late = deck.resolve("rt-20261130-1412-x--a")
    made = deck.create(spec("a"))
    assert late is None or late.mark != made.mark
    assert [one.mark for one in deck.list() if one.name == made.name] == [made.mark]
    with pytest.raises(SessionExistsError):
        deck.create(spec("a"))


def test_parallel_creates_on_a_cold_server_all_succeed(deck: Deck) -> None:
    """T9: twenty threads that make twenty sessions while no server runs get twenty sessions on one server."""
    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda n: Deck().create(spec(f"s{n}")), range(20)))
    assert len(deck.list()) == 20
    assert len({one.server_pid for one in made}) == 1


def test_racing_processes_make_one_session(deck: Deck, rt_home: Path) -> None:
    """T9: of ten processes that make the same name on a cold server one wins, nine are told that it exists."""
    program = (
        "from rt_deck import Deck, Spec; from rt_config.errors import SessionExistsError\n"
        "input()\n"
        f"try: Deck().create(Spec('a', 'a', '', '/', ['cat'], {{'RT_TEST_DECK': {str(rt_home)!r}}})); print('made')\n"
        "except SessionExistsError: print('exists')\n"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(10)
    ]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda racer: racer.communicate("go\n", 30)[0].strip(), racers))
    assert sorted(answers) == ["exists"] * 9 + ["made"]
    assert len(deck.list()) == 1


def test_a_session_is_born_200_by_50_under_a_tiny_viewer(deck: Deck, tmp_path: Path) -> None:
    """T12: a client of 20x4 on the server does not shrink what a new session sees first."""
    deck.create(spec("a"))
    attach = [
        "env",
        "-u",
        "TMUX",
        "tmux",
        "-S",
        deck.tmux.socket,
        "attach-session",
        "-t",
        "=rt-20261130-1412-x--a",
    ]
    with terminal(attach, rows=4, columns=20):
        eventually(lambda: deck.require("rt-20261130-1412-x--a").viewers == 1, what="the tiny client")
        made = deck.create(
            spec("b", *sh('stty size >"$1.part"; mv "$1.part" "$1"; cat', str(tmp_path / "size")))
        )
        eventually((tmp_path / "size").exists, what="the first size")
        assert (tmp_path / "size").read_text() == "50 200\n"
        size = deck.tmux.run("display-message", "-p", "-t", made.pane_id, "#{pane_width}x#{pane_height}")
        assert size.strip() == "200x50"


@pytest.mark.parametrize("locale", ["C", "POSIX", "", "C.UTF-8"])
def test_locale_and_a_foreign_tmux_variable_change_nothing(
    deck: Deck, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    """T6: titles outside ASCII come back whatever LC_ALL says and whatever $TMUX points to."""
    monkeypatch.setenv("TMUX", "/nonexistent/garbage,1,0")
    monkeypatch.setenv("TMUX_PANE", "%77")
    monkeypatch.delenv("LANG", raising=False)
    if locale:
        monkeypatch.setenv("LC_ALL", locale)
    else:
        monkeypatch.delenv("LC_ALL", raising=False)
    title = "réunion | 日本 #{pid} %41"
    made = deck.create(replace(spec("a", *sh("printf '\\033]2;tïtle\\007'; echo ready é; cat")), title=title))
    assert deck.require(title).id == made.id
    ready(deck, made.name, "ready é")
    assert deck.require(title).pane_title == "tïtle"


def test_an_error_of_the_deck_is_a_roundtable_error(deck: Deck) -> None:
    """T4: a NUL and an impossible variable name are usage errors, not tracebacks."""
    for bad in (spec("a", "cat", "a\0b"), spec("a", "cat", **{"A B": "1"}), replace(spec("a"), argv=())):
        with pytest.raises(RoundtableError):
            deck.create(bad)

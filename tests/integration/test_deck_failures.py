"""tmux missing, old, stopped, killed, unreachable: each its own error, bounded, and nobody else's server touched."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rt_config import processes
from rt_config.errors import (
    NudgeRefusedError,
    SessionAmbiguousError,
    SessionGoneError,
    TmuxDownError,
    TmuxMissingError,
    TmuxTimeoutError,
    TmuxTooOldError,
    WorkdirMismatchError,
)
from rt_deck import Deck
from tests.helpers import eventually
from tests.integration.deck_fixtures import dead, deck_of_its_own, ready, sh, spec, wrapper  # noqa: F401


def test_each_failure_has_its_own_error(deck: Deck) -> None:
    """T2: a dead pane, a killed session, a killed server are told apart."""
    pane, session, server = deck.create_many([spec("p", *sh("exit 1")), spec("s"), spec("v")])
    dead(deck, pane.name)
    with pytest.raises(NudgeRefusedError):
        deck.nudge(pane, "rt: x")
    deck.tmux.run("kill-session", "-t", f"={session.name}")
    with pytest.raises(SessionGoneError):
        deck.nudge(session, "rt: x")
    with pytest.raises(SessionGoneError):
        deck.capture(session)
    with pytest.raises(SessionGoneError, match=session.name):
        deck.require(session.name)
    os.kill(server.server_pid, signal.SIGKILL)
    eventually(lambda: processes.start_time(server.server_pid) is None, what="the server's death")
    with pytest.raises(TmuxDownError):
        deck.nudge(server, "rt: x")
    assert deck.list() == []
    assert deck.remove(server.name, 0.5)
    assert not deck.remove(server.name)


def test_a_stopped_server_is_indeterminate_within_4_seconds(deck: Deck) -> None:
    """T2: listing and ringing time out with an error of their own and never hang."""
    made = deck.create(spec("a"))
    os.kill(made.server_pid, signal.SIGSTOP)
    started = time.monotonic()
    try:
        with ThreadPoolExecutor(3) as pool:
            acts: list[Callable[[], object]] = [
                deck.list,
                lambda: deck.nudge(made, "rt: x"),
                lambda: deck.remove(made.name),
            ]
            for answer in [pool.submit(act) for act in acts]:
                with pytest.raises(TmuxTimeoutError):
                    answer.result()
        assert time.monotonic() - started < 4
    finally:
        os.kill(made.server_pid, signal.SIGCONT)
    assert [one.name for one in deck.list()] == [made.name]


def test_a_deleted_socket_comes_back(deck: Deck) -> None:
    """T2: a cleaner of temporary files costs no session: the server makes its socket again."""
    made = deck.create(spec("a"))
    Path(deck.tmux.socket).unlink()
    assert [one.pane_pid for one in Deck().list()] == [made.pane_pid]


def test_an_unreachable_server_is_not_an_empty_one(deck: Deck, monkeypatch: pytest.MonkeyPatch) -> None:
    """T2: while the server runs but its socket is gone, the list is an error and no second server starts."""
    made = deck.create(spec("a"))
    with monkeypatch.context() as patch:
        patch.setattr(signal, "SIGUSR1", signal.SIGWINCH)  # a server that does not make it again
        Path(deck.tmux.socket).unlink()
        with pytest.raises(TmuxDownError):
            deck.list()
        with pytest.raises(TmuxDownError):
            deck.create(spec("b"))
    assert [one.pane_pid for one in deck.list()] == [made.pane_pid]


def test_missing_and_old_tmux_are_named(deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T2, T17: no tmux on PATH, and a tmux before 3.2, are told with what to do."""
    with monkeypatch.context() as patch:
        patch.setenv(
            "PATH",
            str(
                wrapper(
                    tmp_path / "old",
                    'echo "tmux 3.1c"; [ "$1" = -V ] || { echo "no server running" >&2; exit 1; }',
                )
            )
            + ":/bin:/usr/bin",
        )
        with pytest.raises(TmuxTooOldError, match=r"3\.1c"):
            deck.create(spec("a"))
    with monkeypatch.context() as patch:
        (tmp_path / "empty").mkdir()
        patch.setenv("PATH", str(tmp_path / "empty"))
        with pytest.raises(TmuxMissingError) as caught:
            deck.create(spec("a", "/bin/cat"))
        assert "install" in caught.value.advice


def test_start_right_after_the_last_exit(deck: Deck) -> None:
    """T10: the server outlives its last session, so that the next start never races its exit."""
    pids = set()
    for _ in range(10):
        made = deck.create(spec("a"))
        pids.add(made.server_pid)
        deck.tmux.run("kill-session", "-t", f"={made.name}")
        assert deck.list() == []
    assert len(pids) == 1


def test_the_users_own_server_is_not_touched(
    deck: Deck, rt_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T14: with $TMUX pointing to a decoy that has a session of the same name, only our own server changes."""
    socket = str(rt_home.parent / "decoy")
    tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
    name = "rt-20261130-1412-x--a"
    made = subprocess.run(
        [*tmux, "new-session", "-d", "-s", name, "-P", "-F", "#{socket_path},#{pid},0", "--", "cat"],
        capture_output=True,
        text=True,
        check=True,
    )

    def state() -> str:
        return subprocess.run(
            [*tmux, "list-panes", "-a", "-F", "#{session_name} #{pane_pid} #{pane_dead} #{history_bytes}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    try:
        before = state()
        monkeypatch.setenv("TMUX", made.stdout.strip())
        deck.create(spec("a"))
        deck.nudge(name, "rt: x")
        deck.remove(name, 0.5)
        assert deck.stop_server_if_empty()
        assert state() == before
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)


def test_listing_costs_one_call_however_many_sessions(
    deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T15: twenty sessions are made in a handful of tmux invocations and listed in one."""
    log = tmp_path / "log"
    folder = wrapper(tmp_path / "bin", f'echo "$*" >>"{log}"; PATH="${{PATH#*:}}" exec tmux "$@"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    deck.create_many([spec(f"s{n}") for n in range(20)])
    assert len(log.read_text().splitlines()) <= 8
    log.unlink()
    assert len(deck.list()) == 20
    assert len(log.read_text().splitlines()) == 1


def test_references_resolve_by_title_first_and_never_by_guess(deck: Deck) -> None:
    """S4.5: a title that two sessions have is ambiguous, a part of a name is nothing, another folder is an error."""
    one, two = deck.create_many([replace(spec("a"), title="same"), replace(spec("ab"), title="same")])
    with pytest.raises(SessionAmbiguousError, match=two.name):
        deck.resolve("same")
    assert deck.resolve(one.name) == one
    assert deck.resolve("rt-20261130-1412-x--") is None
    with pytest.raises(WorkdirMismatchError):
        deck.require(one.name, "/usr")
    assert deck.require(one.name, one.workdir + "/.") == one


def test_captured_text_is_plain(deck: Deck) -> None:
    """T7: a capture holds no control characters, and at most the lines asked for."""
    made = deck.create(spec("a", *sh("printf 'one\\n\\033[31mtwo\\033[0m\\nready\\n'; cat")))
    ready(deck, made.name)
    assert deck.capture(made.name, 2) == "two\nready"

"""For the tests of the deck: one with a tmux server of its own, sessions for it, and programs to run in them."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from rt_config import processes
from rt_config.errors import RoundtableError
from rt_deck import Deck, Session, Spec
from tests.helpers import eventually

TEST_VARIABLE = "RT_TEST_DECK"


@pytest.fixture(name="deck")
def deck_of_its_own(rt_home: Path) -> Iterator[Deck]:
    """The deck of this test's RT_HOME; afterwards no session, no server and none of their processes may be left."""
    deck = Deck()
    try:
        yield deck
    finally:
        _continue_server(deck)
        error = None
        try:
            deck.remove_many([one.name for one in deck.list()], grace_seconds=0.5)
            for name in deck.tmux.run("list-sessions", "-F", "#{session_name}").split():
                deck.tmux.run("kill-session", "-t", f"={name}")
        except RoundtableError as exc:
            error = exc
        with suppress(RoundtableError):
            deck.stop_server_if_empty()
        left = processes.marked(TEST_VARIABLE, str(rt_home))
        processes.kill_tree(left, 0)
        assert not left, f"the deck left {left} running ({error})"
        assert not Path(deck.tmux.socket).exists(), error


def spec(slug: str, *argv: str, **env: str) -> Spec:
    """A session of one table; without `argv` it runs `cat`."""
    home = os.environ["RT_HOME"]
    return Spec(
        name=f"rt-20261130-1412-x--{slug}",
        title=f"roundtable-rt-20261130-1412-x-{slug}",
        group="parent/roundtable-rt-20261130-1412-x",
        workdir=str(Path(home).parent),
        argv=argv or ("cat",),
        env={**env, TEST_VARIABLE: home},
    )


def sh(script: str, *args: str) -> tuple[str, ...]:
    """The argv of a shell script."""
    return ("sh", "-c", script, "sh", *args)


def ready(deck: Deck, name: str, text: str = "ready") -> None:
    """Wait until a session shows `text`."""
    eventually(lambda: text in deck.capture(name), what=f"{text!r} on the screen of {name}")


def dead(deck: Deck, name: str) -> Session:
    """Wait until a session's command has ended."""

    def check() -> Session | None:
        found = deck.require(name)
        return found if found.state == "dead" else None

    found = eventually(check, what=f"the end of {name}")
    assert found is not None
    return found


def reader(file: Path, *, raw: bool) -> tuple[str, ...]:
    """A program that says "ready" and appends every byte it is sent to `file`; canonical or raw terminal."""
    prepare = "stty raw -echo; " if raw else "stty -echo; "
    copy = "import os\nwhile data := os.read(0, 4096): os.write(1, data)"
    return sh(f'{prepare}echo ready; exec {shlex.join([sys.executable, "-c", copy])} >"$1"', str(file))


def wrapper(folder: Path, script: str) -> Path:
    """A folder for PATH with a `tmux` that is this shell script."""
    folder.mkdir(parents=True)
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


@contextmanager
def terminal(argv: Sequence[str], rows: int = 24, columns: int = 80) -> Iterator[subprocess.Popen[bytes]]:
    """Run `argv` on a terminal of this size whose output is thrown away."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    client = subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    drain = threading.Thread(target=_drain, args=(ours,), daemon=True)
    drain.start()
    try:
        yield client
    finally:
        client.kill()
        client.wait(5)
        drain.join(5)
        os.close(ours)


def _drain(handle: int) -> None:
    with suppress(OSError):  # EIO: the other side is closed
        while os.read(handle, 65536):
            pass


def _continue_server(deck: Deck) -> None:
    with suppress(OSError, ValueError):
        pid, _ = Path(f"{deck.tmux.socket}.pid").read_text(encoding="ascii").split()
        os.kill(int(pid), signal.SIGCONT)

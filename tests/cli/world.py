"""A person at a terminal of their own: the installed `rt`, small programs as seats, and a look behind the curtain."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from rt_config import settings as configuration
from rt_config.errors import RoundtableError
from rt_deck import Deck
from rt_mailbox import records, tables
from rt_mailbox.addresses import group_of
from rt_mailbox.hot import HotDoor
from rt_mailbox.patience import PatientDoor
from rt_moderator import shutdown
from tests.helpers import BIN, changed_environment, eventually, rt

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

CONFIG = "kill_grace_seconds = 0.5\n"
ECHO = "prompt=$(cat); echo '## Position'; echo \"$RT_SEAT speaks\""
WITHIN = frozenset(
    [
        "status",
        "list",
        "show",
        "events",
        "search",
        "say",
        "decide",
        "set",
        "synthesis",
        "wait",
        "drain",
        "end",
        "archive",
        "turn-extend",
        "turn-cancel",
    ]
)
Env = Mapping[str, str | None]


class World:
    """One RT_HOME with all that was started in it."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.work = base / "work"
        self.work.mkdir()
        self._door: PatientDoor | None = None
        self.configure()

    def configure(self, text: str = "") -> None:
        """The configuration file, short grace periods first."""
        Path(os.environ["RT_CONFIG"]).write_text(CONFIG + text)

    def program(self, name: str, body: str) -> str:
        """A shell script for a seat; returns the `!argv` to run it."""
        path = self.work / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o700)
        return f"!{shlex.quote(str(path))}"

    def run(
        self, *args: str, env: Env | None = None, stdin: str | bytes | None = None, timeout: float = 30.0
    ) -> subprocess.CompletedProcess[str]:
        """`rt` in the working folder, whatever comes of it."""
        return rt(*args, env=env, stdin=stdin, timeout=timeout, cwd=self.work)

    def json(self, *args: str, env: Env | None = None, stdin: str | bytes | None = None) -> dict[str, Any]:
        """The one JSON object of a command that must succeed; what only reads or writes the bus runs within this process."""
        if args[0] in WITHIN and env is None and not isinstance(stdin, bytes):
            done = self.inside(*args, "--json", stdin=stdin)
        else:
            done = self.run(*args, "--json", env=env, stdin=stdin)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def text(self, *args: str, stdin: str | None = None, env: Env | None = None) -> str:
        """What a command that must succeed prints for a person."""
        done = self.run(*args, stdin=stdin, env=env)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def refused(
        self, *args: str, env: Env | None = None, stdin: str | None = None, exit_code: int = 1
    ) -> str:
        """The error_code of a command that must fail: as JSON on the last line of stderr, nothing on stdout.

        Without an environment of its own it runs in this process, which takes a tenth of the time.
        """
        done = (
            self.run(*args, "--json", env=env, stdin=stdin)
            if env
            else self.inside(*args, "--json", stdin=stdin)
        )
        assert (done.returncode, done.stdout) == (exit_code, ""), done
        found = json.loads(done.stderr.splitlines()[-1])
        assert set(found) == {"error_code", "message", "hint"}
        assert "Traceback" not in done.stderr
        return str(found["error_code"])

    def inside(self, *args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """`rt` in this process, as its entry point has it."""
        from rt_moderator.main import main

        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        text = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), "utf-8")
        with (
            pytest.MonkeyPatch.context() as patch,
            redirect_stdout(out),
            redirect_stderr(err),
            chdir(self.work),
        ):
            patch.setattr("sys.argv", ["rt", *args])
            patch.setattr("sys.stdin", text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)  # a process that ends closes its sockets
                code = main()
        shown = [one.buffer.getvalue().decode() for one in (out, err)]
        return subprocess.CompletedProcess(args, code, *shown)

    def start(self, *args: str, topic: str = "Which cache?", env: Env | None = None) -> str:
        """Start a table; its id."""
        return str(self.json("start", topic, *args, env=env)["table"])

    def popen(self, *args: str, env: Env | None = None, **how: Any) -> subprocess.Popen[bytes]:
        """`rt` running beside the test."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            [BIN / "rt", *args], cwd=self.work, env=changed_environment(env or {}), **{**pipes, **how}
        )

    def door(self) -> PatientDoor:
        """Straight to the bus, past every command; not for threads."""
        if self._door is not None:
            return self._door
        home = Path(os.environ["RT_HOME"])
        line = next(x for x in (home / "endpoint").read_text().splitlines() if "unix://" in x)
        self._door = PatientDoor(HotDoor(line[line.index("unix://") :]), 10.0, lambda _line: None)
        return self._door

    def snapshot(self, table: str) -> Reply:
        """The table as the host sees it."""
        found = tables.snapshot(self.door(), table, 1000)
        assert found is not None
        return found

    def turns(self, table: str) -> dict[str, str]:
        """Turn → its state."""
        return {turn["id"]: turn["state"] for turn in self.snapshot(table)["turns"]}

    def record(self, table: str, *kinds: str) -> list[Reply]:
        """The whole record, or what is of these kinds."""
        door, group = self.door(), group_of(table)
        whole = records.messages(door, table, group, [(1, records.head(door, table, group))])
        return [message for message in whole if not kinds or message["kind"] in kinds]

    def answered(self, table: str, seconds: float = 15.0) -> None:
        """Wait until no turn is open."""
        eventually(lambda: "open" not in self.turns(table).values(), seconds=seconds, what="all answered")

    def sessions(self) -> list[str]:
        """The deck's tmux sessions that run, by name."""
        return [one.name for one in Deck().list() if one.state == "running"]

    def processes(self, *words: str) -> list[psutil.Process]:
        """This world's processes with all these words on their command line."""
        home, found = os.environ["RT_HOME"], []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                line = " ".join(process.cmdline())
                mine = home in line or process.environ().get("RT_HOME") == home
                if mine and all(word in line for word in words) and process.pid != os.getpid():
                    found.append(process)
        return found

    def host(self, table: str) -> psutil.Process:
        """The table's host process that holds the lock."""
        return eventually(lambda: self._host(table), what="a host")

    def host_looked(self, table: str) -> None:
        """Wait until the host has looked at everything there is now, and acted."""
        for _ in range(2):  # the first look may have begun before
            seen = self.snapshot(table)["host"]["seen"]
            eventually(lambda before=seen: self.snapshot(table)["host"]["seen"] != before, what="a look")  # type: ignore[misc]

    def _host(self, table: str) -> psutil.Process | None:
        pid = self.snapshot(table)["host"].get("pid")
        return psutil.Process(int(pid)) if pid and psutil.pid_exists(int(pid)) else None

    def end(self) -> None:
        """Stop everything, however broken it is."""
        if self._door is not None:
            self._door.close()
        for process in self.processes():
            with suppress(psutil.Error):
                if process.status() == psutil.STATUS_STOPPED:
                    process.send_signal(signal.SIGCONT)
        with suppress(RoundtableError):
            shutdown.stop(configuration.load(self.work), force=True)
            return
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()


@pytest.fixture(name="world")
def world_of_its_own(rt_home: Path) -> Iterator[World]:
    """A world; afterwards all of it is stopped."""
    found = World(rt_home.parent)
    try:
        yield found
    finally:
        found.end()

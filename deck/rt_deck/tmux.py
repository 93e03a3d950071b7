"""The one module that talks to tmux: bounded calls, typed errors, and the life of the private server.

Only `start` ever starts a server; every other call refuses when none is there (`tmux -N`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import rt_config
from rt_config import env, processes
from rt_config.errors import (
    DeckError,
    SessionExistsError,
    SessionGoneError,
    TmuxDownError,
    TmuxFailedError,
    TmuxMissingError,
    TmuxTimeoutError,
    TmuxTooOldError,
)
from rt_deck import environment

CONFIG_FILE = Path(rt_config.__file__).with_name("tmux.conf")
_NEEDED = (3, 2)
_INSTALL = "install tmux 3.2 or newer, for example apt install tmux, or brew install tmux"
_GO_SECONDS = 3.0  # how long a server may take to come back or to go
_GOING_SECONDS = 0.3  # how long one that is just ending may still be seen
_POLL_SECONDS = 0.01

_DOWN = ("no server running", "error connecting to", "server exited", "lost server")
_GONE = re.compile(r"can't find (?:session|window|pane): (.*)")


class Tmux:
    """One tmux server on a private socket."""

    def __init__(self, socket: str | None = None) -> None:
        """Name a server; nothing is started or touched. The default socket is the deck's below RT_HOME."""
        self.socket = socket or env.socket_path("deck", "tmux")
        self._server_file = Path(
            f"{self.socket}.pid"
        )  # "pid start_time", so that a lost socket can be restored

    def run(self, *argv: str, input: bytes | None = None, timeout: float = 3.0) -> str:  # noqa: A002
        """One tmux command; its stdout. Every argument arrives as given, also one that ends with `;`.

        Raises:
            TmuxTimeoutError: no answer within `timeout` seconds; the command may or may not have been done.
            TmuxDownError, SessionGoneError, SessionExistsError, TmuxFailedError: it was refused.
            TmuxMissingError: no tmux on PATH.
        """
        return self.chain([argv], input=input, timeout=timeout)

    def chain(
        self,
        commands: Sequence[Sequence[str]],
        *,
        input: bytes | None = None,  # noqa: A002
        timeout: float = 3.0,
    ) -> str:
        """Several commands in one invocation; the first that fails ends it. Errors as for `run`."""
        argv = [*self.client("-u", "-N"), *joined(commands)]
        try:
            return self._call(argv, input, timeout)
        except TmuxDownError:
            if Path(self.socket).exists() or not self._restore_socket():
                raise
            return self._call(argv, input, timeout)  # nothing was done: the first call found no socket

    def client(self, *flags: str) -> list[str]:
        """The head of every invocation: this socket and our configuration, never the user's."""
        return ["tmux", *flags, "-S", self.socket, "-f", str(CONFIG_FILE)]

    def server_pid(self) -> int | None:
        """The pid of the running server; None when there is none."""
        try:
            return int(self.run("display-message", "-p", "#{pid}"))
        except TmuxDownError:
            return None

    def lost(self) -> bool:
        """After a TmuxDownError: whether a server that we started runs on, its socket not leading to it any more."""
        return not _within(_GOING_SECONDS, lambda: self._recorded() is None)

    def start(self) -> None:
        """Have a server that keeps dead panes, stays without sessions and carries no foreign variables. Idempotent.

        Raises:
            TmuxTooOldError: tmux is older than 3.2.
            TmuxMissingError, TmuxTimeoutError, TmuxFailedError: as for `run`.
        """
        probe = ("display-message", "-p", "#{exit-empty} #{remain-on-exit}")
        try:
            answer = self.chain([probe, ("show-environment", "-g")])
        except TmuxDownError:
            self._start_cold()
            return
        options, *variables = answer.splitlines()
        exit_empty, _, remain = options.partition(" ")
        repairs: list[tuple[str, ...]] = []
        if exit_empty != "0" or remain not in {"on", "1"}:
            repairs += [
                ("set-option", "-s", "exit-empty", "off"),
                ("set-option", "-g", "remain-on-exit", "on"),
            ]
        names = {line.partition("=")[0] for line in variables if "=" in line[1:] and line[0] not in "=-"}
        repairs += [("set-environment", "-g", "-u", name) for name in names if not environment.allowed(name)]
        if repairs:
            self.chain(repairs)

    def stop(self) -> None:
        """End the server and every session in it, and remove its socket. Returns when its process is gone."""
        pid = self.server_pid()
        started = None if pid is None else processes.start_time(pid)
        server = processes.Process(pid, started) if pid and started else self._recorded()
        if server is not None:
            with suppress(TmuxDownError):
                self.run("kill-server")
            if not _within(_GO_SECONDS, lambda: not processes.alive(server.pid, server.started)):
                processes.kill_tree([server], grace_seconds=1.0)
        for leftover in (self.socket, f"{self.socket}.lock", self._server_file):
            Path(leftover).unlink(missing_ok=True)

    def _call(self, argv: list[str], data: bytes | None, timeout: float) -> str:
        status, out, err = _execute(argv, data, timeout)
        if status:
            raise self._classified(_command_of(argv), err.strip())
        return out

    def _classified(self, command: str, reason: str) -> DeckError:
        if any(text in reason for text in _DOWN):
            return TmuxDownError(socket=self.socket)
        if gone := _GONE.search(reason):
            return SessionGoneError(session=gone[1].strip("=:"))
        if reason.startswith("duplicate session"):
            return SessionExistsError(session=reason.partition(": ")[2])
        return TmuxFailedError(command=command, reason=reason or "it gave no reason")

    def _start_cold(self) -> None:
        version()
        try:
            env.private_folder(str(self._server_file.parent))
        except OSError as exc:
            raise TmuxFailedError(command="start-server", reason=str(exc)) from exc
        commands = [("start-server",), ("display-message", "-p", "#{pid}")]
        pid = int(self._call([*self.client("-u"), *joined(commands)], None, _GO_SECONDS))
        self._server_file.write_text(f"{pid} {processes.start_time(pid)}\n", encoding="ascii")

    def _recorded(self) -> processes.Process | None:
        """The server that we started on this socket, if it still runs."""
        try:
            pid, started = self._server_file.read_text(encoding="ascii").split()
            server = processes.Process(int(pid), float(started))
        except (OSError, ValueError):
            return None
        return server if processes.alive(server.pid, server.started) else None

    def _restore_socket(self) -> bool:
        """Ask a server whose socket was deleted (by a cleaner of temporary files) to make it again."""
        server = self._recorded()
        if server is None:
            return False
        os.kill(server.pid, signal.SIGUSR1)
        return _within(_GO_SECONDS / 3, lambda: Path(self.socket).exists())


def joined(commands: Sequence[Sequence[str]]) -> list[str]:
    """Several commands as the arguments of one invocation, `;` between them and never within."""
    flat: list[str] = []
    for command in commands:
        flat += [*([";"] if flat else []), *map(_escaped, command)]
    return flat


def _escaped(argument: str) -> str:
    """A trailing `;` would end the command there; escaped, tmux reads it as that character."""
    return argument[:-1] + "\\;" if argument.endswith(";") else argument


def _execute(argv: list[str], data: bytes | None, timeout: float) -> tuple[int, str, str]:
    """Run a tmux client in its own process group, which is killed when it overstays: (status, stdout, stderr)."""
    try:
        client = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment.scrubbed(),
            start_new_session=True,
        )
    except FileNotFoundError as exc:
        raise TmuxMissingError(install=_INSTALL) from exc
    except (OSError, ValueError) as exc:  # too long, or a NUL
        raise TmuxFailedError(command=_command_of(argv), reason=str(exc)) from exc
    with client:
        try:
            out, err = client.communicate(data, timeout)
        except subprocess.TimeoutExpired as exc:
            with suppress(ProcessLookupError):
                os.killpg(client.pid, signal.SIGKILL)
            raise TmuxTimeoutError(seconds=timeout, command=_command_of(argv)) from exc
    return client.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _command_of(argv: list[str]) -> str:
    """The tmux command in an invocation, for a message."""
    return argv[argv.index(str(CONFIG_FILE)) + 1] if str(CONFIG_FILE) in argv else argv[-1]


def version() -> str:
    """The version of the tmux on PATH, such as 3.3a.

    Raises:
        TmuxMissingError, TmuxTimeoutError.
        TmuxTooOldError: older than 3.2.
    """
    found = _execute(["tmux", "-V"], None, _GO_SECONDS)[1].strip().removeprefix("tmux ")
    number = re.search(r"(\d+)\.(\d+)", found)  # "3.3a", "next-3.6", "openbsd-7.5"; "master" has none
    if number and not found.startswith("openbsd") and (int(number[1]), int(number[2])) < _NEEDED:
        raise TmuxTooOldError(found=found, needed="3.2")
    return found


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True

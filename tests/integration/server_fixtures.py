"""For the tests of the embedded server: a place for one, a small disk, and doing things to it that nobody should."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hiredis
import psutil
import pytest

from rt_config.settings import Settings
from rt_mailbox import server, server_binary, server_files
from rt_mailbox.server_wire import connected
from tests.helpers import eventually


@pytest.fixture(name="embedded")
def embedded_settings(rt_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings for the embedded server of this test's RT_HOME, wherever the test moves that.

    None runs yet, and none does afterwards.
    """
    settings = Settings(min_free_bytes=0, kill_grace_seconds=5)
    try:
        yield settings
    finally:
        with contextlib.suppress(Exception):
            server.stop(settings)
        for process in running_servers():
            process.kill()
        shutil.rmtree(server_files.here().socket.parent, ignore_errors=True)


@pytest.fixture(name="small_disk")
def disk_of_16_mib(rt_home: Path) -> Iterator[Path]:
    """RT_HOME as a disk of 16 MiB; needs root and Linux, because it mounts one."""
    rt_home.mkdir(parents=True)
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(rt_home)]
    if (
        os.getuid() != 0
        or not mount
        or subprocess.run(command, capture_output=True, check=False).returncode != 0
    ):
        pytest.skip("a small disk of its own needs root and Linux's tmpfs")
    try:
        yield rt_home
    finally:
        for process in running_servers():
            process.kill()
        subprocess.run(["umount", "-l", rt_home], check=True)


def silent(_line: str) -> None:
    """For callers that want no progress."""


def ask(*words: str) -> Any:
    """One command to the embedded server; an error reply is returned."""
    with connected(server_files.here().url, 10.0) as wire:
        return wire.ask(*words)


def running_servers() -> list[psutil.Process]:
    """Every server process on this RT_HOME's socket."""
    name = str(server_files.here().socket)
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and any(
                f"unixsocket:{name}" in w for w in process.cmdline()
            ):
                found.append(process)
    return found


def the_pid() -> int:
    """The pid of the one server that runs; fails when there are more or less."""
    (process,) = running_servers()
    return process.pid


def kill_the_server() -> None:
    """`kill -9` it and return when it is gone."""
    os.kill(the_pid(), signal.SIGKILL)
    eventually(
        lambda: not running_servers() and server_files.is_free(server_files.here()), what="the server's death"
    )


def real_program() -> Path:
    """A server program that works here."""
    return server_binary.find().path


def program(path: Path, script: str) -> Path:
    """An executable shell script at `path`."""
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def refused(reply: object) -> bool:
    """Whether a reply is an error."""
    return isinstance(reply, hiredis.ReplyError)

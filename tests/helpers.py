"""What tests share: wait for something with a deadline, and run the installed `rt` as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, overload

from rt_config.settings import Settings

T = TypeVar("T")

BIN = Path(sys.executable).parent
"""The folder of this interpreter's commands, `rt` among them."""


@dataclass(frozen=True, slots=True)
class Bus:
    """A running embedded server of this test's own RT_HOME."""

    settings: Settings
    url: str


def eventually(check: Callable[[], T | None], *, seconds: float = 10.0, what: str = "the condition") -> T:
    """Call `check` until it returns something true, and return that.

    An AssertionError of `check` counts as "not yet", so that it may hold plain asserts; any other error passes through.

    Raises:
        AssertionError: not within `seconds`; names `what` and the last answer.
    """
    deadline = time.monotonic() + seconds
    pause = 0.005
    while True:
        try:
            last: object = None
            if found := check():
                return found
            last = found
        except AssertionError as exc:
            last = exc
        if time.monotonic() >= deadline:
            msg = f"{what}: not within {seconds:g} s (last: {last!r})"
            raise AssertionError(msg)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


@overload
def rt(
    *args: str | Path,
    env: Mapping[str, str | None] | None = None,
    stdin: str | bytes | None = None,
    timeout: float = 30.0,
    cwd: Path | None = None,
    text: Literal[True] = True,
) -> subprocess.CompletedProcess[str]: ...
@overload
def rt(
    *args: str | Path,
    env: Mapping[str, str | None] | None = None,
    stdin: str | bytes | None = None,
    timeout: float = 30.0,
    cwd: Path | None = None,
    text: Literal[False],
) -> subprocess.CompletedProcess[bytes]: ...
def rt(
    *args: str | Path,
    env: Mapping[str, str | None] | None = None,
    stdin: str | bytes | None = None,
    timeout: float = 30.0,
    cwd: Path | None = None,
    text: bool = True,
) -> subprocess.CompletedProcess[str] | subprocess.CompletedProcess[bytes]:
    """Run the installed `rt` with `args`, without a terminal, and return how it ended.

    `env` changes the test's environment (None removes a variable). Without `stdin` there is none. `text` false gives
    the output as bytes; text is UTF-8.

    Raises:
        subprocess.TimeoutExpired: it ran, or something it left behind held its output open, for `timeout` seconds.
    """
    done = subprocess.run(
        [BIN / "rt", *args],
        env=changed_environment(env or {}),
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else (stdin or b""),
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    if not text:
        return done
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def changed_environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This process's environment with `changes`; None removes a variable."""
    merged: dict[str, str | None] = {**os.environ, **changes}
    return {name: value for name, value in merged.items() if value is not None}

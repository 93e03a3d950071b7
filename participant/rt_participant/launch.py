"""From a seat's launch spec to one call of its CLI: argv, environment, standard input. Nothing is started here."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = "RT_CALL"  # carried by every process of a call, wherever its parents went
LONGEST_ARGUMENT = 120_000  # bytes; Linux allows 128 KiB for one
_PLACEHOLDER = re.compile(r"\{(cwd|effort|executable|model|out|prompt|prompt_file|python|session)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a CLI."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    stdin: bytes
    mark: str
    out: Path  # where {out} is


def mark_of(home: str, table: str, slug: str) -> str:
    """What the processes of this seat carry; no other seat of this machine has the same."""
    return f"{home}|{table}/{slug}"


def prepare(
    spec: dict[str, Any], prompt: str, session: str, *, resume: bool, mark: str, folder: Path
) -> Call:
    """The call that puts `prompt` to the CLI.

    Args:
        spec: as `rt_config.profiles.launch_spec` made it.
        prompt: UTF-8 text without control characters.
        session: the native session to set or to resume; empty when the CLI names its own.
        resume: whether that session exists.
        mark: what `mark_of` gives.
        folder: private and empty; it must live as long as the call.

    Raises:
        ValueError: the prompt is too long for this CLI, which takes it as an argument.
    """
    raw = prompt.encode("utf-8", "replace")
    if spec["prompt"] == "argument" and len(raw) > LONGEST_ARGUMENT:
        msg = f"the prompt has {len(raw)} bytes, and this CLI takes it as an argument of {LONGEST_ARGUMENT} at most"
        raise ValueError(msg)
    prompt_file, out = folder / "prompt.md", folder / "answer.md"
    if spec["prompt"] == "file":
        prompt_file.write_bytes(raw)
    values = {
        "cwd": spec["cwd"],
        "effort": spec["effort"],
        "executable": spec["executable"],
        "model": spec["model"],
        "out": str(out),
        "prompt": prompt,
        "prompt_file": str(prompt_file),
        "python": sys.executable,
        "session": session,
    }
    values["executable"] = _filled(spec["executable"], values)
    argv = tuple(_filled(word, values) for word in spec["resume" if resume else "start"])
    cwd = spec["cwd"] or str(Path.cwd())
    own = {name: _filled(value, values) for name, value in spec["env"].items()}
    env = os.environ | {"PWD": cwd} | own | {MARK: mark}  # some CLIs believe PWD more than where they are
    stdin = raw if spec["prompt"] == "stdin" else b""
    return Call(argv, env, cwd, stdin, mark, out)


def _filled(word: str, values: dict[str, str]) -> str:
    """`word` with its placeholders replaced, in one pass: what a value holds is never read as a placeholder."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], word)

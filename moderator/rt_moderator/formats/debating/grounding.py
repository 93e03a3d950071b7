"""What is known today about a topic: the search command of the configuration, bounded in time and length (S0.12)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from rt_config import settings as configuration
from rt_config.errors import RoundtableError
from rt_participant import cleaning

SECONDS = 10.0
MOST_WORDS = 250
NONE_AVAILABLE = "none available"
NONE_FOUND = "none found"
_MOST_BYTES = 200_000
_FIELDS = ("abstract", "snippet", "description", "body", "content")


def found(topic: str, cwd: str, seconds: float = SECONDS) -> dict[str, str]:
    """{text, date, note}: what the configured search says about `topic`, else why there is nothing. Never raises.

    The note is `none available` when no search is configured, it failed or it ran out of time, `none found` when it said nothing.
    """
    try:
        command = configuration.load(Path(cwd) if cwd and Path(cwd).is_dir() else None).context.search
    except RoundtableError:
        command = ()
    date = datetime.now().astimezone().date().isoformat()
    raw = _output([word.replace("{query}", topic) for word in command], cwd, seconds) if command else None
    if raw is None:
        return {"text": "", "date": date, "note": NONE_AVAILABLE}
    text = block(raw)
    return {"text": text, "date": date, "note": "" if text else NONE_FOUND}


def off() -> dict[str, str]:
    """What stands for a search that nobody wanted."""
    return {"text": "", "date": "", "note": NONE_AVAILABLE}


def block(raw: str) -> str:
    """A search's output as at most 250 words: a JSON list of results as lines, anything else as it is. Pure."""
    text = cleaning.plain(raw).strip()
    with suppress(ValueError, RecursionError):
        rows = json.loads(text)
        text = "\n".join(line for row in rows if (line := _line(row))) if isinstance(rows, list) else text
    kept: list[str] = []
    left = MOST_WORDS
    for line in cleaning.plain(text).splitlines():
        words = line.split()
        if words and left > 0:
            kept.append(" ".join(words[:left]))
            left -= len(words)
    return "\n".join(kept) + (" [… cut]" if left < 0 else "")


def _line(row: Any) -> str:
    if not isinstance(row, dict):
        return f"- {row}" if row else ""
    said = next((str(row[name]) for name in _FIELDS if row.get(name)), "")
    parts = [str(row.get("title") or ""), said, str(row.get("url") or "")]
    return "- " + " · ".join(part for part in parts if part) if any(parts) else ""


def _output(argv: list[str], cwd: str, seconds: float) -> str | None:
    """What the command printed; None when it failed or ran out of time, and then nothing of it is left running."""
    try:
        process = subprocess.Popen(
            argv, cwd=cwd if cwd and Path(cwd).is_dir() else None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError):
        return None
    with process:
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return cleaning.decode(out[:_MOST_BYTES]) if process.returncode == 0 else None

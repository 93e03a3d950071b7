"""The brief of an audit: the six things a seat has to know, in a page that points to files instead of pasting them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rt_moderator.formats.audit.target import Target

HEADINGS = ("Target", "Type", "Goal of the audit", "Scope", "How to verify", "Known context")
MOST_LINES = 150
_MOST_ENTRIES = 40


def made(target: Target, facts: Mapping[str, str], context: str) -> str:
    """The brief from what is known; reads the target's folder, never raises.

    Args:
        target: what was recognised.
        facts: topic, goal, audience, constraint and stop_when of the table.
        context: material that came with the question.
    """
    folder = Path(target.folder)
    bodies = (
        _target(target),
        _TYPES[target.kind],
        facts.get("goal")
        or f"{facts['topic']}: find what is wrong or missing, and agree on what should be done.",
        _scope(target, folder, facts),
        "\n".join(f"- `{line}`" for line in checks(folder))
        or "- no test command was found; say how you checked",
        _context(target, facts, context),
    )
    return "\n\n".join(f"## {head}\n{body}" for head, body in zip(HEADINGS, bodies, strict=True)) + "\n"


def warnings(brief: str) -> list[str]:
    """What is wrong with a brief that was given or made."""
    lines = len(brief.splitlines())
    if lines <= MOST_LINES:
        return []
    return [
        f"The brief has {lines} lines; about {MOST_LINES} is what seats read well: point to files instead of pasting them."
    ]


def checks(folder: Path) -> list[str]:
    """Commands by which this working tree seems to be tested."""
    found = [
        f"./{name}" for name in ("scripts/test", "scripts/check", "bin/test") if (folder / name).is_file()
    ]
    package = _json(folder / "package.json").get("scripts")
    if isinstance(package, dict) and "test" in package:
        found.append("npm test")
    if any((folder / name).is_file() for name in ("pytest.ini", "conftest.py", "tox.ini")) or "pytest" in str(
        _toml(folder / "pyproject.toml").get("tool", "")
    ):
        found.append("python -m pytest")
    for name, command in (
        ("Cargo.toml", "cargo test"),
        ("go.mod", "go test ./..."),
        ("Makefile", "make test"),
    ):
        text = _text(folder / name)
        if text and (name != "Makefile" or "\ntest:" in f"\n{text}"):
            found.append(command)
    return found


_TYPES = {
    "feature": "A part of a working tree: read it where it stands.",
    "diff": "A diff: what it changes, and what that breaks or leaves out.",
    "pull request": "A pull request: what it changes, and whether its description is true.",
    "text": "A text or task: there may be no code yet; what is wanted, and what would count as done.",
}


def _target(target: Target) -> str:
    lines = [f"- what: {target.what}", f"- folder: {target.folder}"]
    if target.kind in ("diff", "pull request"):
        lines.append(f"- base: {target.base or 'not known'}")
        lines.append(f"- head: {target.head or 'not known'}")
    elif target.head:
        lines.append(f"- commit: {target.head[:12]}")
    if target.stat:
        lines += ["", "What it changes:", *(f"    {line}" for line in target.stat.splitlines())]
    return "\n".join([*lines, *(f"- note: {note}" for note in target.notes)])


def _scope(target: Target, folder: Path, facts: Mapping[str, str]) -> str:
    inside = list(target.paths) or _entries(folder) if target.kind == "feature" else []
    lines = [
        f"- in: {', '.join(inside)}" if inside else f"- in: the {target.kind} above, and what it touches"
    ]
    lines.append(
        f"- out: {facts['constraint']}"
        if facts.get("constraint")
        else "- out: what the goal does not need; changing any file"
    )
    return "\n".join(lines)


def _context(target: Target, facts: Mapping[str, str], context: str) -> str:
    parts = [
        f"- {label}: {facts[key]}"
        for key, label in (("audience", "for"), ("stop_when", "done when"))
        if facts.get(key)
    ]
    if target.said:
        parts += ["", "Said about it:", *(f"    {line}" for line in target.said.splitlines())]
    return "\n".join([*parts, *(["", context] if context else [])]).strip() or "none given"


def _entries(folder: Path) -> Sequence[str]:
    """What lies at the top of the folder, dot files left out."""
    try:
        names = sorted(
            one.name + ("/" if one.is_dir() else "") for one in folder.iterdir() if one.name[:1] != "."
        )
    except OSError:
        return []
    return [*names[:_MOST_ENTRIES], "…"] if len(names) > _MOST_ENTRIES else names


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:200_000] if path.is_file() else ""
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):
        return {}

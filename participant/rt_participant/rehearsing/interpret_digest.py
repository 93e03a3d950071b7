"""A moderator's first digest, scripted: what all readings have word for word is agreed, the scope is a point when it differs."""

from __future__ import annotations

import json
import re
from typing import Any

_READING = re.compile(r"^(m[1-9][0-9]*) · ([^\n]+)\n(`{3,})json\n(.*?)\n\3$", re.MULTILINE | re.DOTALL)
_SHARED = ("intent", "scope_in", "scope_out", "assumptions")


def readings(prompt: str) -> list[tuple[str, str, dict[str, Any]]]:
    """(message, label, reply) of everything that the prompt quotes."""
    return [(cite, label.strip(), json.loads(text)) for cite, label, _, text in _READING.findall(prompt)]


def reply(prompt: str, behaviour: str) -> str:
    """A digest of what the prompt quotes."""
    found = readings(prompt)
    cites = [cite for cite, _, _ in found]
    agreed: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    for name in _SHARED:
        held = {label: ", ".join(read.get(name) or ["nothing"]) for _, label, read in found}
        if len(set(held.values())) == 1:
            text = f"{name.replace('_', ' ')} (sorted by a rehearsal): {next(iter(held.values()))}"
            agreed.append({"text": text, "messages": cites})
        else:
            points.append(_point(len(points) + 1, name, held, {label: cite for cite, label, _ in found}))
    questions = sorted({one for _, _, read in found for one in read.get("open_questions", [])})
    return json.dumps(
        {"agreements": agreed, "points": points, "open_questions": questions}, ensure_ascii=False
    )


def _point(number: int, name: str, held: dict[str, str], cites: dict[str, str]) -> dict[str, Any]:
    words = name.replace("_", " ")
    return {
        "id": f"D{number}",
        "statement": f"What counts as {words}",
        "positions": {label: {"position": text, "message": cites[label]} for label, text in held.items()},
        "question": f"What is {words}: {' or '.join(sorted(set(held.values())))}?",
    }

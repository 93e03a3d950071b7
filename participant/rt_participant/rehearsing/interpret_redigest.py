"""A moderator's later digest, scripted: settled points are worded from the readers' positions, the others carried on."""

from __future__ import annotations

import json
import re
from typing import Any

from rt_participant.rehearsing.interpret_digest import readings

_SETTLED = re.compile(r"Every reader now agrees on (D[0-9D, ]+):")
_OPEN = re.compile(r"`points`: (D[0-9D, ]+) stay open")


def reply(prompt: str, behaviour: str) -> str:
    """A digest of the round that the prompt quotes."""
    found = readings(prompt)
    settled, left = (_ids(pattern, prompt) for pattern in (_SETTLED, _OPEN))
    agreed = []
    for point in settled:
        texts = sorted({text for _, _, read in found for text in [_position(read, point)] if text})
        text = f"{point}, worded by a rehearsal: {'; '.join(texts)}"
        agreed.append({"text": text, "messages": [cite for cite, _, _ in found], "point": point})
    points = [
        {
            "id": point,
            "statement": f"{point} as before",
            "positions": {
                label: {"position": _position(read, point) or "nothing", "message": cite}
                for cite, label, read in found
            },
            "question": "",
        }
        for point in left
    ]
    return json.dumps({"agreements": agreed, "points": points, "open_questions": []}, ensure_ascii=False)


def _ids(pattern: re.Pattern[str], prompt: str) -> list[str]:
    found = pattern.search(prompt)
    return [one.strip() for one in found[1].split(",")] if found else []


def _position(read: dict[str, Any], point: str) -> str:
    rows = [row for row in read.get("point_responses", []) if row.get("point_id") == point]
    return str(rows[0]["position"]) if rows else ""

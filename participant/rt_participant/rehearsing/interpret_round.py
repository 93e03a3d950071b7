"""A part in a discussion round, scripted: agree goes along, dissent holds, abstain holds once and then goes along."""

from __future__ import annotations

import json
import re

_POINT = re.compile(r"^### (D[1-9][0-9]*)$", re.MULTILINE)
_ROUND = re.compile(r"^Discussion round ([0-9]+) of", re.MULTILINE)


def reply(prompt: str, behaviour: str) -> str:
    """A response to every open point of the prompt."""
    points = list(dict.fromkeys(_POINT.findall(prompt)))
    number = int((_ROUND.findall(prompt) or ["1"])[-1])
    goes_along = behaviour not in ("dissent", "abstain") or (behaviour == "abstain" and number > 1)
    position = "the wider reading, with the first step named in it" if goes_along else "only the first step"
    responses = [
        {
            "point_id": point,
            "position": position,
            "agree": goes_along,
            "reasoning": "This is a rehearsal: nobody weighed anything.",
        }
        for point in points
    ]
    changed = points if behaviour == "abstain" and number < 3 else []
    found = {
        "point_responses": responses,
        "changed_mind": changed,
        "held": [point for point in points if point not in changed],
        "confidence": 0.5,
    }
    return json.dumps(found, indent=1) + "\n"

"""A synthesis, rehearsed: every seat is heard with a message of its own, and nothing is judged."""

from __future__ import annotations

import json
import re

from rt_participant.rehearsing.outside import lines

_STAND = re.compile(r"^(\S+) \((.+)\), (m\d+), round \d+:$")


def reply(prompt: str, _behaviour: str) -> str:
    """The JSON object that is asked for."""
    stands = [(found[1], found[3]) for line in lines(prompt) if (found := _STAND.match(line))]
    first: dict[str, str] = {}
    for seat, seq in stands:
        first.setdefault(seat, seq)
    every = list(first.values())
    draft = {
        "consensus": [
            {"text": "Whatever is done, it is measured. A rehearsal says so, no model.", "messages": every}
        ],
        "divergences": [
            {
                "point": "How much is done at once",
                "positions": [
                    {"seat": seat, "text": f"{seat} holds what stands in its digest.", "messages": [seq]}
                    for seat, seq in first.items()
                ],
            }
        ],
        "blind_spots": [{"text": "Nobody names who runs it afterwards.", "messages": every[:1]}],
        "recommendation": {
            "text": "Take the step that can be undone, and decide again after it.",
            "messages": every,
        },
        "outlier": None,
        "red_flags": [
            {
                "risk": "It goes on without a measure.",
                "mitigation": "Agree on one number first.",
                "messages": every[:1],
            }
        ],
        "action_plan": [{"step": "Write down what would count as failure.", "messages": every[:1]}],
    }
    return f"```json\n{json.dumps(draft, ensure_ascii=False, indent=1)}\n```\n"

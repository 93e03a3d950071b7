"""An analyst of the meta-panel, rehearsed: a debate of the available seats, or the workflow that is fixed."""

from __future__ import annotations

import json
import re

from rt_participant.rehearsing.outside import lines

_ROLES = ("Proposer", "Sceptic", "Measurer", "Outsider", "Keeper", "Integrator")
_TASKS = (
    "make the case",
    "look for what breaks",
    "say what can be counted",
    "ask what nobody asks",
    "mind what exists",
    "join",
)


def reply(prompt: str, _behaviour: str) -> str:
    """The JSON object that is asked for."""
    asked = lines(prompt)
    fixed = re.search(r"^The workflow is (\w+), that is decided", prompt, re.MULTILINE)
    seats = _seats(asked)
    count = len(seats) if "Every one of them sits" in prompt else 4
    chosen = [seats[at % len(seats)] for at in range(count)] if seats else ["rehearsal"]
    kind = fixed[1] if fixed else "debate"
    slots = [
        {"seat": seat, "role": _ROLES[at % len(_ROLES)], "task": _TASKS[at % len(_TASKS)],
         "stage": 2 if kind != "debate" and at == len(chosen) - 1 else 1}
        for at, seat in enumerate(chosen)
    ]  # fmt: skip
    design = {
        "type": kind, "stages": slots, "rounds": 2, "synthesizer": seats[-1] if seats else "",
        "reasoning": "A rehearsal always proposes the same.", "antipattern": "A model might know better.",
    }  # fmt: skip
    return json.dumps(design, ensure_ascii=False, indent=1) + "\n"


def _seats(asked: list[str]) -> list[str]:
    found: list[str] = []
    listing = False
    for line in asked:
        if line == "Seats that are available:":
            listing = True
        elif listing and line.startswith("- "):
            found.append(line[2:].partition(": ")[0])
        elif listing and line and found:
            break
    return found

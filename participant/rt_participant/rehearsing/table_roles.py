"""Roles for a table, scripted: the same for every topic, as many as there are seats."""

from __future__ import annotations

import json
import re

_ROLES = (
    ("Doubter", "Looks for what breaks first and who pays."),
    ("Outsider", "Asks how people far from this trade would do it."),
    ("Builder", "Wants something small running this week."),
    ("Keeper", "Guards what works already against change."),
    ("Counter", "Puts numbers beside every promise."),
    ("Teacher", "Cares whether newcomers understand it."),
    ("Neighbour", "Speaks for teams next door."),
    ("Archivist", "Remembers earlier attempts like these."),
)


def reply(prompt: str, behaviour: str) -> str:
    """One role for each seat."""
    found = re.search(r"round table: ([0-9]+) seats", prompt)
    roles = []
    for at in range(int(found[1]) if found else 1):
        name, focus = (
            _ROLES[at]
            if at < len(_ROLES)
            else (f"Voice {at + 1}", f"Cares about matter{at + 1} alone{at + 1}.")
        )
        kind = "dissenter" if at == 0 else "orthogonal" if at == 1 else "complementary"
        roles.append({"seat": at + 1, "name": name, "focus": focus, "kind": kind})
    return json.dumps({"roles": roles}) + "\n"

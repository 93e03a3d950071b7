"""A scripted revision of an audit's draft after the vote: every objection moves to the open disagreements."""

from __future__ import annotations

import re

from rt_participant.rehearsing import audit_synthesis

_OBJECTION = re.compile(r"^(V[1-9][0-9]*) (@\S+) on (.*)$", re.MULTILINE)
_WHY = re.compile(r"^    \| why: (.*)$", re.MULTILINE)


def reply(prompt: str, behaviour: str) -> str:
    """The draft again, made anew, with every objection moved and a line on each. dissent: forgets the changes."""
    parts = audit_synthesis.parts(prompt)
    text = audit_synthesis.block(prompt, "objections")
    found = list(zip(_OBJECTION.findall(text), _WHY.findall(text), strict=False))
    moved = [f"### {number} {where}\n\n- {seat}:\n  > {why}" for (number, seat, where), why in found]
    old = parts["Open disagreements"]
    parts["Open disagreements"] = "\n\n".join([*([] if old == "none" else [old]), *moved])
    changes = [f"- {number} ({seat}): moved: to Open disagreements" for (number, seat, _where), _why in found]
    if behaviour != "dissent":
        parts["Changes"] = "\n".join(changes)
    return "\n\n".join(f"## {title}\n\n{body}" for title, body in parts.items()) + "\n"

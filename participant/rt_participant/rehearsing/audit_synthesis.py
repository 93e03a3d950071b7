"""A scripted synthesis of an audit, from the findings that its prompt lists as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCED = r"^(`{3,})%s\n(.*?)^\1$"
_DEGRADED = re.compile(r"the run is degraded by (.*), and what that means", re.MULTILINE)


def reply(prompt: str, behaviour: str) -> str:
    """The five sections. agree and any other: everything where its state puts it; dissent: leaves the disagreements out."""
    return "\n\n".join(f"## {title}\n\n{body}" for title, body in parts(prompt, behaviour).items()) + "\n"


def parts(prompt: str, behaviour: str = "") -> dict[str, str]:
    """The sections by title."""
    found: list[dict[str, Any]] = json.loads(block(prompt, "findings") or "[]")
    blocked = [one for one in found if one["blocked_by"]]
    rest = [one for one in found if not one["blocked_by"]]
    standing = [one for one in rest if one["state"] in ("open", "held")]
    minor = [one for one in standing if one["severity"] == "minor"]
    grave = [one for one in rest if one["state"] != "withdrawn" and one["severity"] != "minor"]
    tasks = sorted(grave, key=lambda one: (one["severity"] != "blocking", one["state"] == "resolved"))
    notes = "- This is a rehearsal: no model wrote it."
    if gone := _DEGRADED.search(prompt):
        notes += f"\n- The run is degraded by {gone[1]}: the end of the debate is without them."
    disagreements = [] if behaviour == "dissent" else [_open(one) for one in blocked]
    return {
        "Agreed spec": "\n".join(f"- {_item(one)}" for one in rest if one["state"] == "resolved") or "none",
        "Tasks": "\n".join(f"{at}. {_item(one)}" for at, one in enumerate(tasks, 1)) or "none",
        "Improvements": "\n".join(f"- {_item(one)}" for one in minor) or "none",
        "Open disagreements": "\n\n".join(disagreements) or "none",
        "Moderator notes": notes,
    }


def block(prompt: str, label: str) -> str:
    """What stands in the fenced block of that label."""
    found = re.search(_FENCED % re.escape(label), prompt, re.DOTALL | re.MULTILINE)
    return found[2] if found else ""


def _item(one: dict[str, Any]) -> str:
    cites = ", ".join(sorted({held["cite"] for held in one["positions"]}, key=lambda cite: int(cite[1:])))
    proposal = next((" ".join(held["proposal"].split()) for held in one["positions"] if held["proposal"]), "")
    return f"{one['title']}: {proposal} ({one['id']}, raised by {', '.join(one['raised_by'])}, {cites})"


def _open(one: dict[str, Any]) -> str:
    lines = [f"### {one['id']} {one['title']}", ""]
    for held in one["positions"]:
        lines.append(f"- {held['seat']} ({held['cite']}): {held['severity']}, {held['state']}")
        lines += [f"  > {line}" for line in held["evidence"].splitlines() if line.strip()]
    return "\n".join(lines)

"""A scripted seat's reply in an audit: findings of its own first, then a position on everything that is listed."""

from __future__ import annotations

import json
import re

from rt_participant import rehearsal

_LISTED = re.compile(
    r"^(F[1-9][0-9]*) · (blocking|major|minor) · (\w+) · raised by (.*?) · (.*)$", re.MULTILINE
)
_TITLES = (
    ("The failure path is not tested", "a test for the path that fails"),
    ("Nothing bounds how long this waits", "a deadline, and what happens after it"),
    ("Two places decide the same thing", "one function that both call"),
    ("The undo is not described", "a line on how to take it back"),
    ("The name promises more than it does", "a narrower name"),
)


def reply(prompt: str, behaviour: str) -> str:
    """Position and status block. agree: settles everything; dissent: holds a blocking finding; abstain: no verdict."""
    name = rehearsal.name_in(prompt)
    listed = _LISTED.findall(prompt)
    dissent = behaviour == "dissent"
    findings = (
        [_position(one, name, _proposal(prompt, one[0]), dissent=dissent) for one in listed]
        if listed
        else [_first(name, dissent=dissent)]
    )
    if (
        listed
        and dissent
        and not any(one["severity"] == "blocking" and one["state"] == "held" for one in findings)
    ):
        findings.append(_first(name, dissent=True))
    verdict = {"dissent": "object", "abstain": "abstain"}.get(behaviour, "agree")
    status = {"verdict": verdict, "confidence": 0.5, "findings": findings}
    return (
        f"## Position\nI say this as {name}, and as a rehearsal: no model wrote it, nobody looked at the target.\n\n"
        f"I {verdict}, over {len(listed)} findings that are listed.\n\n"
        f"```roundtable-status\n{json.dumps(status)}\n```\n"
    )


def _first(name: str, *, dissent: bool) -> dict[str, str]:
    if dissent:
        return {
            "id": "new", "title": "The premise is not shown", "severity": "blocking", "state": "open",
            "evidence": f"{name} finds no line in the brief that says why this has to be done at all.",
            "proposal": "a measurement that shows the need",
        }  # fmt: skip
    title, proposal = _TITLES[sum(name.encode()) % len(_TITLES)]
    return {
        "id": "new", "title": title, "severity": "major", "state": "open", "proposal": proposal,
        "evidence": f"{name} read the brief as a rehearsal does, and it says nothing about this.",
    }  # fmt: skip


def _proposal(prompt: str, id_: str) -> str:
    """The first proposal that is listed for a finding."""
    entry = prompt.partition(f"\n{id_} · ")[2].partition("\n\n")[0]
    return entry.partition("| proposal: ")[2].partition("\n")[0] or "as it stands"


def _position(listed: tuple[str, ...], name: str, proposal: str, *, dissent: bool) -> dict[str, str]:
    id_, severity, _state, raised, title = listed
    own = "you" in re.split(r", | and ", raised)
    if dissent and own and severity == "blocking":
        state, why = (
            "held",
            f"{name} still finds no line in the brief that says why this has to be done at all.",
        )
    else:
        state, why = "resolved", f"{name} accepts the proposal that stands under {id_}."
    return {
        "id": id_, "title": title, "severity": severity, "state": state, "evidence": why,
        "proposal": proposal,
    }  # fmt: skip

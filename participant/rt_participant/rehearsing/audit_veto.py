"""A scripted seat's vote on the draft of an audit."""

from __future__ import annotations

import json

from rt_participant import rehearsal


def reply(prompt: str, behaviour: str) -> str:
    """The vote and its block. agree: approves; dissent: objects; abstain: abstains."""
    name = rehearsal.name_in(prompt)
    vote = {"dissent": "object", "abstain": "abstain"}.get(behaviour, "approve")
    objections = []
    if vote == "object":
        why = f"{name} misses in this draft what it would cost to leave everything as it is."
        objections.append({"where": "Agreed spec", "why": why, "wants": "a sentence on doing nothing"})
    block = json.dumps({"vote": vote, "objections": objections})
    return (
        f"I say this as {name}, and as a rehearsal: no model wrote it.\n\n```roundtable-veto\n{block}\n```\n"
    )

"""A reading of a request, scripted: agree reads it widely, dissent and abstain leave something out."""

from __future__ import annotations

import json

_SCOPES = {
    "dissent": ["only the first step"],
    "abstain": ["the first step and how it is checked"],
}


def reply(prompt: str, behaviour: str) -> str:
    """The same reading for every seat of that behaviour: the request that all get is the same."""
    request = _request(prompt)
    read = {
        "restated_request": f"A rehearsal reads: {request}",
        "intent": ["an answer that can be acted on"],
        "scope_in": _SCOPES.get(behaviour, ["everything that the request names"]),
        "scope_out": ["carrying it out"],
        "assumptions": ["this is a rehearsal: no model read anything"],
        "ambiguities": ["how far the request reaches"],
        "open_questions": ["By when is it needed?"],
        "confidence": 0.5,
    }
    return json.dumps(read, indent=1, ensure_ascii=False) + "\n"


def _request(prompt: str) -> str:
    """The first line of the fenced request."""
    lines = prompt.partition("## The request")[2].strip().split("\n")[1:]
    return next((line.strip() for line in lines if line.strip()), "nothing")[:120]

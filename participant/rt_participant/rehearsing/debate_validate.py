"""A seat on a draft of the synthesis, rehearsed."""

from __future__ import annotations

_SAID = {
    "agree": ("ACCURATE", "none"),
    "dissent": ("INACCURATE", "I did not say this; a rehearsal objects."),
    "abstain": ("ABSTAIN", "none"),
}


def reply(_prompt: str, behaviour: str) -> str:
    """The verdict of the behaviour; a seat without one finds the draft accurate."""
    verdict, correction = _SAID.get(behaviour, _SAID["agree"])
    return f"VERDICT: {verdict}\nCORRECTION: {correction}\n"

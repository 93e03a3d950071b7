"""The blind round of a debate, rehearsed."""

from __future__ import annotations

from rt_participant import rehearsal
from rt_participant.rehearsing.outside import number, speaker

VOTES = {"agree": "small steps first", "dissent": "not now", "abstain": "abstain"}
_BY_SEAT = ("small steps first", "small steps first", "not now", "all at once")


def reply(prompt: str, behaviour: str) -> str:
    """Headings, a vote and a digest; the vote follows the behaviour, or the seat's name."""
    name = speaker(prompt)
    vote = VOTES.get(behaviour) or _BY_SEAT[number(name) % len(_BY_SEAT)]
    said = rehearsal.reply(prompt).split("\n")
    reasons = [line[2:] for line in said if line.startswith("- ")] or ["nothing speaks against it"]
    claims = "\n".join(f"{at}. {reason}" for at, reason in enumerate(reasons[:3], 1))
    return f"""## Thesis
{said[1]}
## Key claims
{claims}
## Evidence
None: this is a rehearsal, so every claim is only supposed.
## Risks
That nobody measures before going on.
## Recommendation
To be decided by the cheapest test.
VOTE: {vote}
## Self-digest
I would vote for “{vote}”, because {reasons[0][:1].lower()}{reasons[0][1:]} A rehearsal says so, no model.
"""

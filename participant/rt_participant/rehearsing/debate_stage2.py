"""A second stage, rehearsed: it cites every output that it was given."""

from __future__ import annotations

import re

from rt_participant.rehearsing.debate_round1 import VOTES
from rt_participant.rehearsing.outside import lines

_OUTPUT = re.compile(r"^STAGE 1 OUTPUT from (.+), (m\d+):$")


def reply(prompt: str, behaviour: str) -> str:
    """A result made of the outputs, problems, a vote and a digest."""
    outputs = [(found[1], found[2]) for line in lines(prompt) if (found := _OUTPUT.match(line))]
    cited = ", ".join(seq for _, seq in outputs) or "nothing"
    problems = "\n".join(f"- {seq}: {who} names no measure" for who, seq in outputs) or "- none"
    vote = VOTES.get(behaviour) or "small steps first"
    return f"""## Improved result
One plan out of {cited}, with a measure for each step. This is a rehearsal, no model.
## Problems found
{problems}
## Recommendation
Take the first step and measure.
VOTE: {vote}
## Self-digest
I made one plan out of {cited} and would vote for “{vote}”; a rehearsal says so.
"""

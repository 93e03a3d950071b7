"""A round of critique, rehearsed: every peer that the prompt names is criticised or scored."""

from __future__ import annotations

import re

from rt_participant.rehearsing.debate_round1 import VOTES
from rt_participant.rehearsing.outside import lines, number, speaker

_PEER = re.compile(r"^(.+), (m\d+):$")
_SCORES = {
    "agree": "4/5 — on most points",
    "dissent": "1/5 — the premise does not hold",
    "abstain": "abstain",
}


def reply(prompt: str, behaviour: str) -> str:
    """Two critiques, a defence, a vote, and a score for every peer."""
    name = speaker(prompt)
    seed = number(name)
    peers = [(found[1], found[2]) for line in lines(prompt) if (found := _PEER.match(line))]
    weakest = [peers[(seed + at) % len(peers)] for at in range(min(2, len(peers)))]
    moved = not behaviour and seed % 3 == 0 and bool(peers)
    vote = VOTES.get(behaviour) or ("small steps first" if moved else "")
    critique = "\n".join(f"- {label}, {seq}: that it is cheap — nobody has counted" for label, seq in weakest)
    scores = "\n".join(f"- {label}: {_score(behaviour, seed + at)}" for at, (label, _) in enumerate(peers))
    changed = f"yes, {weakest[0][1]}: a test first costs less" if moved else "no"
    voted = f"VOTE: {vote}\n" if vote else ""
    return f"""## Critique
{critique}
## Defence
{name} holds on to what can be undone. This is a rehearsal, no model.
## Revision
{"A test first, then the rest." if moved else "none"}

CHANGED: {changed}
{voted}SCORES:
{scores}
"""


def _score(behaviour: str, seed: int) -> str:
    return _SCORES.get(behaviour) or f"{2 + seed % 4}/5 — as far as a rehearsal can tell"

"""A summary of a round, scripted: everybody is cited, and there is a next question for two rounds."""

from __future__ import annotations

import json
import re

_SAID = re.compile(r"^(m[1-9][0-9]*) · ", re.MULTILINE)
_ROUND = re.compile(r"Sum up round ([0-9]+) ")


def reply(prompt: str, behaviour: str) -> str:
    """All replies agree that this is a rehearsal; the first and the last part on where to begin."""
    cites = list(dict.fromkeys(_SAID.findall(prompt)))
    number = int((_ROUND.findall(prompt) or ["1"])[0])
    agreed = [{"text": "Nothing here was thought by a model.", "messages": cites}]
    tension = (
        [{"text": "They begin at different ends.", "messages": [cites[0], cites[-1]]}]
        if len(cites) > 1
        else []
    )
    question = "What would you give up for it?" if number == 1 else "What has to happen first?"
    made = {
        "agreements": agreed if len(cites) > 1 else [],
        "tensions": tension,
        "novel": [{"text": "A rehearsal repeats itself in new words.", "messages": cites[:1]}]
        if cites
        else [],
        "next_questions": [question] if number < 3 else [],
    }
    return json.dumps(made, ensure_ascii=False) + "\n"

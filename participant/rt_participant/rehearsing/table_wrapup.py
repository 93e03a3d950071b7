"""A wrap-up, scripted: what was contested is cited as unresolved."""

from __future__ import annotations

import json
import re

_CITED = re.compile(r"(?<![A-Za-z0-9])m([1-9][0-9]*)(?![A-Za-z0-9])")


def reply(prompt: str, behaviour: str) -> str:
    """Claims that cite what the summaries cite."""
    summaries = prompt.partition("## Your summaries")[2].partition("## What to write")[0]
    cited = [f"m{seq}" for seq in dict.fromkeys(_CITED.findall(summaries))] or ["m2"]
    line = next((one for one in prompt.split("\n") if "contested at the end" in one), "")
    contested = [f"m{seq}" for seq in dict.fromkeys(_CITED.findall(line))]
    made = {
        "takeaways": [
            {"text": "The table works from topic to wrap-up; this was a rehearsal.", "messages": cited[:2]}
        ],
        "consensus": [{"text": "Nothing here was thought by a model.", "messages": cited}],
        "unresolved": [{"text": "Where to begin.", "messages": contested}] if contested else [],
        "next_steps": [{"text": "Seat agents that think.", "messages": cited[:1]}],
    }
    return json.dumps(made, ensure_ascii=False) + "\n"

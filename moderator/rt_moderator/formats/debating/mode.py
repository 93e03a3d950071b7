"""Which mode a topic asks for, by its words (S0.3). Pure."""

from __future__ import annotations

import re
from functools import cache

DEFAULT = "default"
# In the order that decides a tie.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "vote": ("choose", "decide", "which one", "best option", "select", "recommend between"),
    "redteam": ("attack", "vulnerability", "failure", "risk", "break", "threat", "exploit"),
    "build": ("implement", "code", "architecture", "build", "design", "develop", "create"),
    "debate": ("pros/cons", "tradeoff", "should we", "ethics", "compare", "opinion", "better"),
}
_SPELLED = {"pros/cons": r"pros?\s*(?:/|,|&|and)\s*cons?", "tradeoff": r"trade[-‐\s]?offs?"}


def detect_mode(topic: str) -> str:
    """The mode whose keywords occur most often in `topic`; `default` when none does. Never fails.

    A keyword counts as it stands and as its plural, with -s, -ed, -ing.
    """
    text = " ".join(topic.casefold().split())
    hits = {
        mode: sum(len(_pattern(word).findall(text)) for word in words) for mode, words in KEYWORDS.items()
    }
    best = max(hits.values())
    return next(mode for mode, count in hits.items() if count == best) if best else DEFAULT


@cache
def _pattern(keyword: str) -> re.Pattern[str]:
    if keyword in _SPELLED:
        return re.compile(rf"(?<!\w){_SPELLED[keyword]}(?!\w)")
    inflected, *rest = keyword.split() if keyword.startswith("recommend") else [keyword]
    words = r"\s+".join([_inflections(inflected), *map(re.escape, rest)])
    return re.compile(rf"(?<!\w){words}(?!\w)")


def _inflections(word: str) -> str:
    stem = re.escape(word).replace(r"\ ", r"\s+")
    if word.endswith("y"):
        return f"(?:{stem}|{stem[:-1]}ies)"
    if word.endswith("e"):
        return f"{stem[:-1]}(?:e|es|ed|ing)"
    return f"{stem}(?:s|es|ed|ing)?"

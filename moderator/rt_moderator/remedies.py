"""What to do about a seat that was lost: every cause has its own action (S0.29). Pure."""

from __future__ import annotations

import re

_CAUSES = (
    ("missing", re.compile(r"not installed|command not found|no such file|cli_missing|\bENOENT\b|exit(?:ed)?(?: with)? 127\b", re.I)),
    ("login", re.compile(r"not logged in|not signed in|log ?in\b|unauthori[sz]ed|\b401\b|api key (?:is )?(?:missing|invalid)|invalid api key", re.I)),
    ("model", re.compile(r"\bmodel\b.{0,80}(?:not found|not exist|unknown|unsupported|not supported|invalid|no access|not available|refused)"
                         r"|(?:unknown|unsupported|invalid|no such|not found).{0,20}\bmodel\b|ModelNotFound", re.I | re.S)),
    ("quota", re.compile(r"quota|rate.?limit|\b429\b|billing|credit|insufficient|overloaded|\b5\d\d\b|api error", re.I)),
)  # fmt: skip


def cause(reason: str) -> str:
    """The kind: missing | login | model | quota, as far as the reason says; else ''."""
    return next((name for name, pattern in _CAUSES if pattern.search(reason)), "")


def action(reason: str, slug: str, profile: str) -> str:
    """What undoes the loss of a seat, as a line to read or to type."""
    who = profile or "PROFILE"
    again = f"rt seat add {slug}={who}"
    actions = {
        "missing": f"install it (rt profiles show {who} says how), then {again}",
        "login": f"log in (rt doctor says how), then {again}",
        "model": f"name another model: {again}:MODEL",
        "quota": f"check key and quota of {who}, then {again}",
    }
    return actions.get(cause(reason), again)

"""Who criticised whose claim, and why: the lines of a critique that name a peer. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rt_moderator.engine.labels import named
from rt_moderator.formats.debating import reading

_MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Critique:
    """One criticism. `to` is empty when no peer was named; then `text` is the critique as a whole, cut."""

    by: str
    to: str
    text: str
    seq: int


def read_critiques(text: str, by: str, seq: int, labels: Mapping[str, str]) -> list[Critique]:
    """The critiques of one reply: each line of its section `Critique` that names a peer first, else the section's beginning."""
    body = reading.section(text, "critique")
    if body is None:
        body = text
    found = [
        Critique(by, slug, cut(named(said, labels)), seq)
        for line in body.splitlines()
        for slug, said in [_named_first(line, labels)]
        if slug
    ]
    return found or [Critique(by, "", cut(named(body, labels)), seq)]


def _named_first(line: str, labels: Mapping[str, str]) -> tuple[str, str]:
    bare = re.sub(r"^\s*(?:[-*+•]|\d+[.)])?\s*", "", line).lstrip("*_` ")
    for slug, label in labels.items():
        if re.match(rf"{re.escape(label)}(?![\w-])", bare, re.IGNORECASE):
            return slug, bare[len(label) :].lstrip("*_`,:;–— \t'’s") or bare
    return "", ""


def cut(text: str) -> str:
    """One line of at most 80 words."""
    words = text.split()
    return " ".join(words[:_MOST_WORDS]) + (" [… cut]" if len(words) > _MOST_WORDS else "")

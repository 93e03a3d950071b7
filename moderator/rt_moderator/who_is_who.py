"""Whom a participant meant by Panelist A: the labels of each step's readers, told to the person and never to a seat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rt_mailbox import journal
from rt_moderator.engine.labels import named

if TYPE_CHECKING:
    from rt_mailbox.door import Door

Labels = Mapping[str, Mapping[str, Mapping[str, str]]]  # step → reader → {peer: label}


def read(door: Door, table: str) -> Labels:
    """The labels of every step of a table's format; empty when it has none."""
    lines = journal.read(door, table)
    return {
        name: line["labels"] for name, line in lines.items() if isinstance(line, dict) and line.get("labels")
    }


def legend(labels: Labels, turn: str, body: str) -> str:
    """'Panelist A is builder, Panelist B is skeptic': those that the reply to `turn` names; '' when it names nobody by a label. Pure."""
    step, _, reader = turn.partition("/")
    known = labels.get(step, {}).get(reader, {})
    named = [
        f"{label} is {peer}"
        for peer, label in known.items()
        if label != peer and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", body)
    ]
    return ", ".join(sorted(named))


def told(labels: Labels, turn: str, body: str) -> str:
    """The reply to `turn` with who they are in place of labels; for summaries, where the raw text is a command away. Pure."""
    step, _, reader = turn.partition("/")
    return named(body, labels.get(step, {}).get(reader, {}))

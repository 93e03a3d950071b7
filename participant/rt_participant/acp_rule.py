"""Whether an agent may do what it asks leave for: by the kind of the tool call and its paths, never by its title. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

_FREE = frozenset({"read", "search", "fetch", "think", "execute"})
_CHANGES = frozenset({"edit", "delete", "move", "other"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided, and why in a few words."""

    allowed: bool
    why: str


def judge(kind: str | None, locations: Sequence[PurePath], protected: Iterable[PurePath]) -> Verdict:
    """Decide one request.

    Args:
        kind: of the tool call, as the protocol names it; None when the agent gave none, or one nobody knows.
        locations: absolute, symbolic links resolved.
        protected: folders in which nothing may change, resolved as well.

    A change of a folder that holds a protected one counts as inside: deleting it would take the protected one along.
    """
    if kind in _FREE:
        return Verdict(True, f"{kind} is free")
    if kind not in _CHANGES:
        return Verdict(False, f"the kind {kind} is not allowed" if kind else "it names no kind")
    if not locations:
        return Verdict(False, f"{kind} names no path")
    folders = tuple(protected)
    for path in locations:
        for folder in folders:
            if path.is_relative_to(folder) or folder.is_relative_to(path):
                return Verdict(False, f"{kind} inside {folder}")
    return Verdict(True, f"{kind} outside of what is protected")

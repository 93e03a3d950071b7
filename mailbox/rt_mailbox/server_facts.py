"""What is asked of a server, whoever asks it: how it answered, and which settings are shown. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SHOWN = ("appendonly", "appendfsync", "save", "maxmemory-policy", "min-replicas-to-write")


@dataclass(frozen=True)
class Probe:
    """How a server answered: `down` with a reason, `loading` its data, or `ready`; with its INFO persistence."""

    state: Literal["down", "loading", "ready"]
    info: dict[str, str] = field(default_factory=dict)
    reason: str = ""

"""What a discussion of the debate family has come to so far. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rt_moderator.engine.model import Step
from rt_moderator.formats.debating import findings
from rt_moderator.formats.debating.findings import Findings, Reread
from rt_moderator.formats.debating.workflow import Workflow


@dataclass(slots=True)
class Course:
    """What a discussion has come to so far."""

    plan: Workflow
    ground: Mapping[str, str]
    first: Step = field(default_factory=lambda: Step("", 0, 0))
    rereads: list[Reread] = field(default_factory=list)
    second: Step | None = None
    stop_reason: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def found(self) -> Findings:
        """Everything counted or quoted so far."""
        return findings.find(self.first, self.rereads, self.second)

    @property
    def rounds(self) -> int:
        """Rounds held, the blind one included; a second stage is none."""
        return 1 + len(self.rereads)

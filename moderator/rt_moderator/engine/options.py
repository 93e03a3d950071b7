"""What `run` and `start --format` were asked for, kept with the table as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """A format takes those it uses; None leaves a number to the format (see its `DEFAULTS`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: bool = False  # nobody attends: the moderator's texts are made by a job
    mode: Literal["", "debate", "build", "redteam", "vote", "default"] = ""
    fixed_mode: bool = False  # the mode was given, not detected
    fixed_type: str = ""  # the workflow that a mode flag fixes (--debate)
    quick: bool = False
    steering: Literal["auto", "active"] = "auto"
    rounds: int | None = Field(default=None, ge=0, le=20)
    min_rounds: int | None = Field(default=None, ge=1, le=20)
    budget_min: float | None = Field(default=None, gt=0)
    budget_usd: float | None = Field(default=None, gt=0)
    turn_timeout: float | None = Field(default=None, gt=0)
    validate_: bool = Field(default=False, alias="validate")
    search: bool = True
    veto: bool = True
    named: bool = False
    dissent: Literal["low", "medium", "high"] = "medium"
    moderator: str = ""  # PROFILE[:MODEL] of the one-shot jobs; empty: chosen by rule
    synthesizer: str = ""
    analysts: tuple[str, ...] = ()
    target: str = ""
    base: str = ""
    brief: str = ""  # text, not a path
    lenses: tuple[str, ...] = ()
    out: str = ""
    on_deadlock: Literal["wait", "stop"] = "wait"
    require_consensus: bool = False
    host_seat: str = ""
    roster: tuple[str, ...] = ()  # PROFILE[:MODEL] of what can be seated here, for formats that seat later
    context: str = ""  # material given with the question
    prior: str = ""  # another table's synthesis, labelled
    families: dict[str, str] = Field(default_factory=dict)  # profile → whose models answer, for the roster
    notes: tuple[
        str, ...
    ] = ()  # said of the seats before it began; an audit's report has them among its warnings
    panel_notes: tuple[
        dict[str, str], ...
    ] = ()  # {seat, why, action} of substitutions: the table is degraded
    panel_warnings: tuple[str, ...] = ()  # what had to be said when it was seated
    analyst_seconds: float = Field(default=90.0, gt=0)
    validation_seconds: float = Field(default=60.0, gt=0)
    synthesis_seconds: float = Field(default=180.0, gt=0)

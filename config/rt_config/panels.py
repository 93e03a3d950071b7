"""Panels as data: `panels.toml`, changed and added to by the `[panel.NAME]` tables of the configuration."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rt_config.errors import BadConfigError
from rt_config.settings import Settings

ANY = "*"  # the profile of a seat that takes the next installed agent CLI
_FILE = Path(__file__).with_name("panels.toml")


class PanelSeat(BaseModel):
    """One seat of a panel; `fallback` is PROFILE[:MODEL[:EFFORT]]."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = Field(min_length=1)
    model: str = ""
    effort: str = ""
    role: str = ""
    viewpoint: str = ""
    fallback: str = ""


class Panel(BaseModel):
    """Who sits, who analyses, who writes the synthesis."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    format: str = "debate"
    seats: tuple[PanelSeat, ...] = Field(min_length=1)
    synthesizer: str = ""
    analysts: tuple[str, ...] = Field(default=(), max_length=4)


def load(settings: Settings) -> dict[str, Panel]:
    """Every panel by name; a configured one of a built-in's name replaces the keys that it gives.

    Raises:
        BadConfigError: a panel does not read as one.
    """
    raw = dict(_built_in())
    for name, given in settings.panel.items():
        raw[name] = raw.get(name, {}) | given
    return {name: _validated(name, fields) for name, fields in raw.items()}


@cache
def _built_in() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))["panel"]
    return found


def _validated(name: str, fields: dict[str, Any]) -> Panel:
    try:
        return Panel.model_validate({**fields, "name": name})
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, ("panel", name, *first["loc"])))
        raise BadConfigError(where=where, reason=first["msg"]) from exc

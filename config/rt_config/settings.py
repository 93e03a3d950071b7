"""The one reader of configuration: config.toml, then the working tree's rt.toml, then the environment, then flags.

URL, space, limits and sinks never come from a working tree's rt.toml: a repository must not redirect anybody's bus or words.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rt_config import env
from rt_config.errors import BadConfigError
from rt_config.sinks import Sink

_FROM_ENVIRONMENT = {"RT_REDIS_URL": "redis_url", "RT_SPACE": "space", "RT_MAX_BODY_BYTES": "max_body_bytes"}
_NEVER_FROM_TREE = frozenset(
    {
        "redis_url",
        "space",
        "max_body_bytes",
        "max_messages",
        "max_chars",
        "min_free_bytes",
        "maxmemory_bytes",
        "sink",
    }
)


class Context(BaseModel):
    """Where grounding comes from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    search: tuple[str, ...] = ()


class Settings(BaseModel):
    """Everything that can be configured. Durations carry their unit in the name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    redis_url: str = ""  # empty: the embedded server
    space: str = env.DEFAULT_SPACE
    max_body_bytes: int = Field(default=1024 * 1024, gt=0)
    max_messages: int = Field(default=100, gt=0)
    max_chars: int = Field(default=24_000, ge=0)
    min_free_bytes: int = Field(default=64 * 1024 * 1024, ge=0)
    maxmemory_bytes: int = Field(default=0, ge=0)  # 0: half of the machine's memory
    fail_backoff_seconds: tuple[float, ...] = (1.0, 5.0)
    lease_seconds: float = Field(default=300.0, gt=0)
    max_hold_seconds: float = Field(default=3600.0, gt=0)  # the longest that a lease can be renewed to
    acked_mail_kept: int = Field(default=1000, ge=0)  # per personal address; older settled mail goes
    turn_timeout_seconds: float = Field(default=600.0, gt=0)
    inactivity_seconds: float = Field(default=300.0, gt=0)
    drain_timeout_seconds: float = Field(default=30.0, ge=0)
    kill_grace_seconds: float = Field(default=5.0, ge=0)
    bus_wait_seconds: float = Field(default=30.0, ge=0)
    default_profile: str = ""
    roster: tuple[str, ...] = ()  # `cli` or `cli: model`: who sits at a `table` that names nobody
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    panel: dict[str, dict[str, Any]] = Field(default_factory=dict)  # who sits together, see panels.toml
    analyst_seconds: float = Field(default=90.0, gt=0)  # one-shot calls of formats; a late one is left out
    validation_seconds: float = Field(default=60.0, gt=0)
    synthesis_seconds: float = Field(default=180.0, gt=0)
    context: Context = Context()
    sink: tuple[Sink, ...] = ()  # where posts about tables go, see sinks.py

    @field_validator("sink")
    @classmethod
    def _named_once(cls, found: tuple[Sink, ...]) -> tuple[Sink, ...]:
        names = [one.name for one in found]
        if len(set(names)) < len(names):
            msg = "two sinks have one name"
            raise ValueError(msg)
        return found


def load(cwd: Path | None = None, **flags: object) -> Settings:
    """Settings for a command that runs in `cwd`; flags that are None count as not given.

    Raises:
        BadConfigError: a file does not parse, or a value has the wrong type or an unknown name.
    """
    merged = _read(Path(env.config_file()))
    tree_file = _tree_file(cwd or Path.cwd())
    if tree_file is not None:
        tree = _read(tree_file)
        refused = sorted(_NEVER_FROM_TREE & tree.keys())
        if refused:
            raise BadConfigError(
                where=tree_file, reason=f"{', '.join(refused)} only counts in {env.config_file()}"
            )
        merged = _merge(merged, tree)
    merged |= {name: os.environ[key] for key, name in _FROM_ENVIRONMENT.items() if os.environ.get(key)}
    merged |= {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings.model_validate(merged)
    except ValidationError as exc:
        first = exc.errors()[0]
        raise BadConfigError(
            where=".".join(map(str, first["loc"])) or "settings", reason=first["msg"]
        ) from exc


def _tree_file(cwd: Path) -> Path | None:
    """The nearest rt.toml at or above `cwd`, not above the root of its git working tree."""
    for folder in (cwd, *cwd.parents):
        if (folder / "rt.toml").is_file():
            return folder / "rt.toml"
        if (folder / ".git").exists():
            return None
    return None


@cache
def _read_at(path: Path, _mtime_ns: int) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise BadConfigError(where=path, reason=str(exc)) from exc


def _read(path: Path) -> dict[str, Any]:
    return dict(_read_at(path, path.stat().st_mtime_ns)) if path.is_file() else {}


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` on top of `base`; tables merge key by key, so that a profile can be changed in one field."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged

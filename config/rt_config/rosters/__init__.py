"""Who sits where nobody was named, as data: one TOML file a format."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The data of `<name>.toml` beside this file."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))

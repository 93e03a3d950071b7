"""What a CLI's failure means by what it printed: data of its profile, then of failures.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from rt_config.profile_model import Failure, Profile

_FILE = Path(__file__).with_name("failures.toml")


def recognised(profile: Profile, text: str) -> Failure | None:
    """The first known failure whose pattern occurs in `text`; a pattern that is none matches nothing."""
    return next((one for one in (*profile.failures, *_common()) if _occurs(one, text)), None)


def _occurs(failure: Failure, text: str) -> bool:
    for pattern in failure.match:
        try:
            if re.search(pattern, text, re.IGNORECASE):
                return True
        except re.error:
            continue
    return False


@cache
def _common() -> tuple[Failure, ...]:
    raw = tomllib.loads(_FILE.read_text(encoding="utf-8"))["failure"]
    return tuple(Failure.model_validate(one) for one in raw)

"""Whether an agent CLI would answer in a seat: installed, which version, signed in, the model taken; and if not, why and what to do."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rt_config import failures
from rt_config.errors import (
    CliLoginError,
    CliMissingError,
    CliTimeoutError,
    RoundtableError,
    SeatError,
    UsageError,
)
from rt_deck.environment import for_session
from rt_moderator import seating
from rt_participant import oneshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rt_config.profiles import Profile

Cause = Literal["", "missing", "login", "model", "quota", "network", "refused", "timeout", "failed"]
PROMPT = "Reply with the single word OK."
SECONDS = 60.0  # for one answer of one word
# A refusal is clean when the CLI said no; after anything else a call may have been made, and paid.
CLEAN: frozenset[Cause] = frozenset({"missing", "login", "model", "quota", "refused"})
_NUMBER = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a check ended; good when `cause` is empty."""

    cause: Cause = ""
    reason: str = ""
    fix: str = ""
    seconds: float = 0.0
    model: str = ""

    @property
    def clean(self) -> bool:
        """Whether another candidate may be tried: it was refused, and nothing was created."""
        return self.cause in CLEAN


def askable(profile: Profile) -> bool:
    """Whether it can be asked outside a seat, and has something to be asked for: not a scripted one, nor a screen alone."""
    return profile.executable != "{python}" and (profile.headless is not None or profile.acp is not None)


def environment(profile: Profile) -> Mapping[str, str]:
    """What a seat of this profile inherits, so that a check finds what the seat would."""
    passed = {name: os.environ[name] for name in profile.pass_env if os.environ.get(name)}
    path = os.pathsep.join((str(Path(seating.command()[0]).parent), os.environ.get("PATH", os.defpath)))
    return for_session({"PATH": path, **passed})


async def asked(profile: Profile, spec: dict[str, Any], timeout_s: float = SECONDS) -> Verdict:
    """Ask for one word: it costs one tiny call. `spec` is of `oneshot.spec_of`. Never raises an error of the CLI's."""
    try:
        shot = await oneshot.run_once(spec, PROMPT, timeout_s=timeout_s, env=environment(profile))
    except (SeatError, UsageError) as exc:
        return verdict(profile, exc)
    return Verdict(seconds=shot.seconds, model=shot.model)


def verdict(profile: Profile, exc: RoundtableError) -> Verdict:
    """What an error of a check comes to. Pure."""
    reason = str(exc).rstrip(".")
    if isinstance(exc, CliMissingError):
        return Verdict("missing", reason, exc.advice)
    if isinstance(exc, CliLoginError):
        return Verdict("login", reason, profile.login or f"log in with {profile.executable}")
    if isinstance(exc, UsageError):
        return Verdict("refused", reason, exc.advice or f"rt profiles show {profile.name}")
    known = failures.recognised(profile, f"{exc}\n{exc.fields.get('detail', '')}")
    if known is not None:
        return Verdict(known.kind, reason, known.fix)
    by_hand = f"run {profile.executable} by hand and see what it asks"
    return Verdict("timeout" if isinstance(exc, CliTimeoutError) else "failed", reason, by_hand)


def number(text: str) -> str:
    """The version number in a line, '' when there is none."""
    found = _NUMBER.search(text)
    return found[0] if found else ""


def untested(found: str, tested: Sequence[str]) -> str:
    """Why this version is to be taken with care, '' when it is not: older than the oldest tested, or of a newer major one."""
    if not found or not tested:
        return ""
    there, known = _parts(found), sorted(_parts(one) for one in tested)
    if there < known[0]:
        return f"older than {', '.join(tested)}, which was tested"
    return f"tested was {', '.join(tested)}" if there[0] > known[-1][0] else ""


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number(version).split(".") if part) or (0,)

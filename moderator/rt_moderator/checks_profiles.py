"""The doctor's look at the agent CLIs that are installed: version, signed in, and the fix for what is wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rt_config import profiles as catalog
from rt_config.errors import RoundtableError
from rt_moderator import panels, seat_check
from rt_moderator.finding import Finding
from rt_participant import oneshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rt_config.profiles import Profile
    from rt_config.settings import Settings
    from rt_moderator.finding import Level, Part

_VERSION_SECONDS = 20.0
_START_SECONDS = 30.0


def parts(settings: Settings, *, prompt: bool, timeout_s: float = seat_check.SECONDS) -> dict[str, Part]:
    """A part for every profile whose program is on PATH, and one about the others.

    With `prompt` each is asked for one word on its default transport: one tiny, paid call per CLI.
    """
    found = installed(settings)
    made: dict[str, Part] = {
        "agents": partial(_roster, present=[one.name for one in found]),
        "panels": _panels,
    }
    return made | {one.name: partial(_look, one, prompt, timeout_s) for one in found}


def installed(settings: Settings) -> list[Profile]:
    """The profiles whose program is on PATH; without those that need an argv first, and the scripted one.

    Raises:
        BadConfigError, UnknownProfileError: a configured profile does not read as one.
    """
    found = catalog.load(settings).values()
    return [
        one for one in found if one.executable and one.executable != "{python}" and catalog.available(one)
    ]


def _roster(settings: Settings, *, present: list[str]) -> Iterator[Finding]:
    absent = [one for one in catalog.load(settings).values() if one.agent and one.name not in present]
    if not any(one.name in present for one in catalog.load(settings).values() if one.agent):
        text = "no agent CLI is installed: seats are scripted, no model answers"
        yield Finding("agents", "warn", text, f"for example {absent[0].install}" if absent else "")
    else:
        others = f"; not installed: {', '.join(one.name for one in absent)}" if absent else ""
        yield Finding("agents", "ok", f"installed: {', '.join(present)}{others}")


def _panels(settings: Settings) -> Iterator[Finding]:
    """Which panels of `rt run` sit as planned (S0.34); the others are seated from what is installed, so nothing is wrong."""
    rows = panels.availability(settings)
    whole = [row["panel"] for row in rows if not row["missing"]]
    others = [row["panel"] for row in rows if row["missing"]]
    text = f"as planned: {', '.join(whole) or 'none'}"
    text += f"; from what is installed: {', '.join(others)} (rt profiles panels)" if others else ""
    yield Finding("panels", "ok", text)


async def _look(profile: Profile, prompt: bool, timeout_s: float, _settings: Settings) -> list[Finding]:
    env = seat_check.environment(profile)
    try:
        said = await oneshot.version(profile, timeout_s=_VERSION_SECONDS, env=env)
    except RoundtableError as exc:
        found = seat_check.verdict(profile, exc)
        return [Finding(profile.name, "fail", found.reason, found.fix)]
    number = seat_check.number(said) or said[:40]
    doubt = seat_check.untested(number, profile.tested)
    if profile.unverified:
        doubt = "its profile was never run against the real program"
    if not seat_check.askable(profile):
        return [
            Finding(
                profile.name,
                "warn" if doubt else "ok",
                _joined(number, doubt, "it has only its own screen: not asked"),
            )
        ]
    if not prompt:
        fix = "rt doctor asks it" if not doubt else profile.install
        return [Finding(profile.name, "warn" if doubt else "ok", _joined(number, doubt, "not asked"), fix)]
    return [await _prompted(profile, number, doubt, timeout_s)]


async def _prompted(profile: Profile, number: str, doubt: str, timeout_s: float) -> Finding:
    transport = profile.default_transport
    try:
        spec = oneshot.spec_of(profile, transport=transport)
    except RoundtableError as exc:
        found = seat_check.verdict(profile, exc)
        return Finding(profile.name, "warn", _joined(number, doubt, found.reason), found.fix)
    found = await seat_check.asked(profile, spec, timeout_s)
    if found.cause:
        level: Level = "warn" if profile.unverified or not profile.agent else "fail"
        return Finding(profile.name, level, _joined(number, doubt, found.reason), found.fix)
    text = f"answers on {spec['transport']} in {found.seconds:.0f} s"
    other = await _other(profile, spec["transport"])
    fine = not doubt and "does not" not in other
    return Finding(
        profile.name,
        "ok" if fine else "warn",
        _joined(number, doubt, text, other),
        profile.install if doubt else "",
    )


async def _other(profile: Profile, used: str) -> str:
    """Whether the transport that it can be switched to starts; that costs nothing."""
    if used == "acp" or profile.acp is None:
        return ""
    try:
        spec = oneshot.spec_of(profile, transport="acp")
        await oneshot.started(spec, timeout_s=_START_SECONDS, env=seat_check.environment(profile))
    except RoundtableError as exc:
        return f"acp does not start ({str(exc).rstrip('.')})"
    return "acp starts"


def _joined(*texts: str) -> str:
    return ", ".join(filter(None, texts))

"""One one-shot call of the moderation, with its candidates: analysts, syntheses, digests. No seat, no vote."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from rt_config import profiles as catalog
from rt_config import settings as configuration
from rt_config.errors import RoundtableError
from rt_moderator.engine.model import Job
from rt_participant import oneshot

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.engine.commands import JobSpec

_TRIES = 2  # of one candidate, when what it delivered does not pass the check


def run(job: JobSpec, cwd: str) -> dict[str, Any]:
    """What the first candidate that delivers said, as a `model.Job` in JSON; without one its text is empty.

    A candidate fails with its time, a missing CLI, an error, or a text that does not pass the check twice.
    """
    settings = configuration.load(Path(cwd) if cwd and Path(cwd).is_dir() else None)
    reasons: list[str] = []
    for candidate in job.candidates:
        try:
            found = _asked(job, candidate, settings, reasons)
        except RoundtableError as exc:
            reasons.append(f"{candidate}: {exc}")
            continue
        if found is not None:
            return _plain(found, reasons)
    return _plain(Job(), reasons or ["there is no CLI to ask"])


def _asked(job: JobSpec, candidate: str, settings: Settings, reasons: list[str]) -> Job | None:
    wanted = catalog.parse_seat(f"job={candidate}")
    profile = catalog.for_seat(catalog.load(settings), wanted)
    spec = oneshot.spec_of(profile, wanted.model, wanted.effort)
    prompt = job.prompt
    for _ in range(_TRIES):
        found = anyio.run(_once, spec, prompt, job.timeout)
        problem = _problem(job, found.text)
        if not problem:
            cost = {} if found.cost_usd is None else {"cost_usd": found.cost_usd}
            return Job(
                found.text, None, wanted.profile, found.model or wanted.model, profile.family, round(found.seconds, 3),
                {**found.usage, **cost},
            )  # fmt: skip
        reasons.append(f"{candidate}: {problem}")
        prompt = (
            f"{job.prompt}\nYour last answer was not usable: {problem}\nAnswer again, whole, without this.\n"
        )
    return None


def _problem(job: JobSpec, text: str) -> str:
    try:
        if job.check:
            job.check(text)
    except ValueError as exc:
        return str(exc) or "it does not have the form that was asked for"
    return ""


async def _once(spec: dict[str, Any], prompt: str, seconds: float) -> oneshot.OneShot:
    return await oneshot.run_once(spec, prompt, timeout_s=seconds)


def _plain(job: Job, reasons: list[str]) -> dict[str, Any]:
    return {**asdict(job), "parsed": None, "reasons": reasons}

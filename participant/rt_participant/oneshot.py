"""One question to an agent CLI, outside any seat or table: a job of the moderator, or the doctor's "does it answer?".

It is read-only, it has no memory, and nothing of it outlives the call: not a timeout, not a cancellation, and not, beyond
the next call of a process with the same RT_HOME, a caller that was killed.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

from anyio import to_thread

from rt_config import env as environment
from rt_config import processes
from rt_config.errors import (
    BadConfigError,
    CliFailedError,
    CliLoginError,
    CliMissingError,
    CliSilentError,
    CliTimeoutError,
    WorkdirMissingError,
)
from rt_config.profile_model import Access, Headless
from rt_config.profiles import launch_spec
from rt_participant import headless, launch

if TYPE_CHECKING:
    from rt_config.profiles import Profile
    from rt_participant.results import Result

_GRACE_SECONDS = 2.0  # between SIGTERM and SIGKILL of one that ran over its time
_swept = False


@dataclass(frozen=True, slots=True)
class OneShot:
    """What it answered, never empty."""

    text: str
    usage: dict[str, int] = field(default_factory=dict)  # tokens by kind, as far as the CLI tells
    cost_usd: float | None = None
    model: str = ""  # the effective one, else the requested one, else ''
    seconds: float = 0.0


def spec_of(
    profile: Profile,
    model: str = "",
    effort: str = "",
    cwd: str = "",
    transport: str = "",
    access: Access = "read-only",
) -> dict[str, Any]:
    """How `profile` is asked once: on `transport` when that is headless or acp, else headless where it has that, else acp.

    Args:
        profile: with an argv of its own when it is `command`-like.
        model: empty for the CLI's own default.
        effort: empty for its default.
        cwd: absolute; where it works. Empty: in an empty folder of its own, so that no project's files steer it.
        transport: of a seat; tui and auto leave the choice.
        access: read-only unless the seat may write and the profile cannot do without.

    Raises:
        BadConfigError: it takes no such model or effort, needs an argv, or nothing keeps it from writing.
    """
    if transport not in ("headless", "acp"):
        transport = "headless" if profile.headless is not None else "acp"
    return launch_spec(
        profile, model, effort, access, cwd, transport,
        inactivity_seconds=0, kill_grace_seconds=_GRACE_SECONDS, drain_timeout_seconds=0,
    )  # fmt: skip


async def run_once(
    spec: dict[str, Any], prompt: str, *, timeout_s: float, env: Mapping[str, str] | None = None
) -> OneShot:
    """Put `prompt` to the CLI in a fresh session and return its answer.

    Needs an asyncio loop, on any thread. Cancelled, it kills all its processes before it ends.

    Args:
        spec: of `spec_of`; a seat's own launch spec serves as well.
        prompt: UTF-8 text without control characters.
        timeout_s: seconds for all of it.
        env: what the CLI inherits; default: this process's environment. The profile's own variables are added.

    Raises:
        CliMissingError: it is not on PATH.
        CliLoginError: it printed what the profile calls a failed login.
        CliTimeoutError: it did not end in time.
        CliFailedError: it exited with an error, reported one, or could not be started; `detail` is the end of its output.
        CliSilentError: it exited well without an answer.
        WorkdirMissingError: its folder is gone.
        BadConfigError: the prompt is too long for a CLI that takes it as an argument.
    """
    await to_thread.run_sync(_end_orphans)
    with TemporaryDirectory(prefix="rt-once-", ignore_cleanup_errors=True) as folder:
        spec, call = _prepared(spec, prompt, folder, env)
        result = await _asked(spec, call, prompt, timeout_s)
        if result.reason:
            _fail(spec, result, timeout_s)
    answer = result.answer
    return OneShot(answer.text, answer.usage, answer.cost, answer.model or str(spec["model"]), result.seconds)


async def started(spec: dict[str, Any], *, timeout_s: float, env: Mapping[str, str] | None = None) -> None:
    """Start an agent of transport acp up to a session, and end it; asks no model anything.

    Raises:
        CliMissingError, CliLoginError, CliTimeoutError, CliFailedError, WorkdirMissingError.
    """
    from rt_participant import oneshot_acp

    await to_thread.run_sync(_end_orphans)
    with TemporaryDirectory(prefix="rt-once-", ignore_cleanup_errors=True) as folder:
        spec, call = _prepared(spec, "", folder, env)
        result = await oneshot_acp.asked(spec, call, "", timeout_s)
        if result.reason:
            _fail(spec, result, timeout_s)


async def version(profile: Profile, *, timeout_s: float, env: Mapping[str, str] | None = None) -> str:
    """The first line that its version call prints.

    Raises:
        CliMissingError, CliFailedError, CliTimeoutError, CliSilentError.
    """
    call = Headless(start=("{executable}", *profile.version_args))
    bare = profile.model_copy(update={"headless": call, "argv": (), "args": (), "auth_failure": ()})
    try:
        said = (await run_once(spec_of(bare, transport="headless"), "", timeout_s=timeout_s, env=env)).text
    except CliSilentError as exc:
        said = str(exc.fields["detail"])  # some print it as an error
        if not said:
            raise
    return said.strip().partition("\n")[0]


def _prepared(
    spec: dict[str, Any], prompt: str, folder: str, env: Mapping[str, str] | None
) -> tuple[dict[str, Any], launch.Call]:
    """The spec with a folder to work in, and the call with what it inherits."""
    spec = spec | {"cwd": spec["cwd"] or _made(folder, "work")}
    private = Path(_made(folder, "call"))
    try:
        call = launch.prepare(spec, prompt, _session(spec), resume=False, mark=_mark(), folder=private)
    except ValueError as exc:
        raise BadConfigError(where=f"profile {spec['profile']}", reason=str(exc)) from exc
    if env is None:
        return spec, call
    own = {name: call.env[name] for name in (*spec["env"], "PWD", launch.MARK)}
    return spec, replace(call, env={**env, **own})


async def _asked(spec: dict[str, Any], call: launch.Call, prompt: str, timeout_s: float) -> Result:
    ends = time.monotonic() + timeout_s
    if spec["transport"] == "acp":
        from rt_participant import oneshot_acp

        return await oneshot_acp.asked(spec, call, prompt, timeout_s)
    return await headless.attended(spec, call, lambda: ends - time.monotonic())


def _fail(spec: dict[str, Any], result: Result, timeout_s: float) -> NoReturn:
    """Raise what `result` comes to."""
    cli = Path(spec["executable"]).name if spec["executable"] != "{python}" else str(spec["profile"])
    if result.stop == "timeout":
        raise CliTimeoutError(cli=cli, seconds=f"{timeout_s:g}", detail=result.detail)
    if result.auth:
        said = (
            result.reason.removeprefix("not logged in (").removesuffix(f": {spec['login']}").removesuffix(")")
        )
        raise CliLoginError(cli=cli, said=said, login=spec["login"], detail=result.detail)
    if result.stop == "not started" and "is not installed" in result.reason:
        raise CliMissingError(cli=cli, install=spec["install"] or f"put {cli} on PATH")
    if result.stop == "not started" and not Path(spec["cwd"]).is_dir():
        raise WorkdirMissingError(workdir=spec["cwd"])
    if not result.stop and result.reason == "no answer":
        raise CliSilentError(cli=cli, detail=result.detail)
    raise CliFailedError(cli=cli, reason=result.reason, status=result.status, detail=result.detail)


def _session(spec: dict[str, Any]) -> str:
    return str(uuid.uuid4()) if spec["session"] == "set" else ""


def _made(folder: str, name: str) -> str:
    path = Path(folder, name)
    path.mkdir()
    return str(path)


def _prefix() -> str:
    return f"{environment.home()}|once/"


def _mark() -> str:
    """Names this call and the process that made it."""
    pid = os.getpid()
    return f"{_prefix()}{pid}/{processes.start_time(pid)!r}/{uuid.uuid4().hex}"


def _end_orphans() -> None:
    """End the calls of processes of this RT_HOME that were killed before they could; once per process."""
    global _swept  # noqa: PLW0603 (once per process is the point)
    if _swept:
        return
    _swept = True
    found = processes.carrying(launch.MARK, _prefix())
    processes.kill_tree([one for one, mark in found.items() if _orphaned(mark)], _GRACE_SECONDS)


def _orphaned(mark: str) -> bool:
    pid, started = mark.removeprefix(_prefix()).split("/")[:2]
    return not processes.alive(int(pid), float(started))

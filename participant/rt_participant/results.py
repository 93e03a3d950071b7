"""How a call of a CLI ended: an answer, or why there is none, in words that say what to do."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rt_participant import cleaning, launch, outputs


@dataclass(frozen=True, slots=True)
class Result:
    """How a call ended. It is an answer when `reason` is empty."""

    answer: outputs.Answer
    reason: str  # why it is none, on one line
    stop: str  # who ended it: '' itself, timeout, inactivity, cancelled, flood, interrupted, not started
    status: int | None  # exit status; None when it did not exit by itself
    signal: int | None
    auth: bool  # it wants a login
    detail: str  # the end of what it printed
    seconds: float


@dataclass(frozen=True, slots=True)
class Printed:
    """What a call printed, as far as it was kept."""

    stdout: bytes
    stderr: bytes


def not_started(spec: dict[str, Any], call: launch.Call, exc: OSError) -> Result:
    """The result of a call that could not be made."""
    name = call.argv[0] if call.argv else "?"
    if isinstance(exc, NotADirectoryError):
        reason = f"the folder {call.cwd} does not exist"
    elif isinstance(exc, FileNotFoundError):
        reason = f"{name} is not installed" + (f": {spec['install']}" if spec["install"] else "")
    else:
        reason = f"{name} cannot be started: {exc.strerror or exc}"
    return Result(outputs.Answer(), reason, "not started", None, None, auth=False, detail="", seconds=0.0)


def judge(
    spec: dict[str, Any], call: launch.Call, stop: str, code: int, printed: Printed, seconds: float
) -> Result:
    """The result of a call that ended with `code` (negative: a signal), by itself or because of `stop`."""
    written = b""
    if spec["output"]["answer_file"]:
        with suppress(OSError), call.out.open("rb") as file:
            written = file.read(outputs.MOST_BYTES)
    answer = outputs.read(spec["output"], printed.stdout, written)
    detail = _tail(printed.stderr) or _tail(printed.stdout)
    reason = _stopped(spec, stop) if stop else _why(answer, code, detail)
    auth = bool(reason) and not stop and _wants_login(spec, answer, printed)
    if auth:
        reason = f"not logged in ({_short(answer.error or detail)})" + (
            f": {spec['login']}" if spec["login"] else ""
        )
    status, number = (code, None) if code >= 0 else (None, -code)
    return Result(answer, reason, stop, status, number, auth, detail, seconds)


def _stopped(spec: dict[str, Any], stop: str) -> str:
    if stop == "inactivity":
        return f"inactivity: nothing came for {spec['inactivity_seconds']:g} s"
    return f"flood: more than {outputs.MOST_BYTES // 2**20} MiB of output" if stop == "flood" else stop


def _why(answer: outputs.Answer, code: int, detail: str) -> str:
    """Why the call gave no answer; '' when it gave one."""
    said = _short(answer.error or detail)
    if code:
        what = f"signal {-code}" if code < 0 else f"exit {code}"
        return f"{what}: {said}" if said else what
    if answer.failed:
        return f"it reported an error: {said}"
    return "" if answer.text else "no answer"


def _wants_login(spec: dict[str, Any], answer: outputs.Answer, printed: Printed) -> bool:
    ends = cleaning.decode(printed.stdout[-4096:] + b"\n" + printed.stderr)
    return cleaning.matches(f"{answer.error}\n{ends}", spec["auth_failure"])


def _tail(raw: bytes) -> str:
    return cleaning.screen(cleaning.decode(raw[-2000:])).strip()


def _short(text: str) -> str:
    """The line that most likely says why, at most 200 characters of it: the last that begins as an error, else the last."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    return (errors or lines or [""])[-1][:200]

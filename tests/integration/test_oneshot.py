"""One question outside any seat: the answer or a typed error, and nothing that outlives it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from rt_config import processes
from rt_config import settings as configuration
from rt_config.errors import (
    CliFailedError,
    CliLoginError,
    CliMissingError,
    CliSilentError,
    CliTimeoutError,
    SeatError,
)
from rt_config.profile_model import Profile
from rt_config.profiles import get, load
from rt_participant import oneshot
from tests.helpers import eventually
from tests.integration.seats import script

ROOT = Path(__file__).parents[2]
CHILD = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
READY = "import pathlib; pathlib.Path(__file__).with_suffix('.up').touch()\n"
HANGS = CHILD + STUBBORN + READY + "time.sleep(60)\n"


def command(folder: Path, body: str, **fields: Any) -> Profile:
    """A `command`-like profile that runs `body` as Python."""
    argv = script(folder, "cli", body)
    known = {"name": "own", "description": "own", "family": "own", "executable": argv[0], "argv": argv}
    return Profile.model_validate(known | {"headless": {"start": ["{argv}"]}} | fields)


def once(profile: Profile, prompt: str = "Say OK.", timeout_s: float = 20, **kept: Any) -> oneshot.OneShot:
    async def asked() -> oneshot.OneShot:
        spec = oneshot.spec_of(profile, cwd=kept.get("cwd", ""))
        return await oneshot.run_once(spec, prompt, timeout_s=timeout_s, env=kept.get("env"))

    return anyio.run(asked)


def none_left() -> None:
    """No process of a one-shot call of this RT_HOME is alive."""
    assert not processes.carrying("RT_CALL", oneshot._prefix())


def test_the_scripted_profile_answers_and_a_command_gets_the_prompt_by_stdin(tmp_path: Path) -> None:
    """S1.27: `rehearsal` and a program nobody here knows both work as they are; quotes and emoji arrive unchanged."""
    shot = once(get(load(configuration.load(tmp_path)), "rehearsal"))
    assert "rehearsal" in shot.text
    odd = 'a "b" $HOME `id`; 🙂'
    echo = command(tmp_path, "import os, sys; print(os.getcwd(), sorted(os.listdir()), sys.stdin.read())")
    folder, _, rest = once(echo, odd).text.partition(" ")
    assert rest == f"[] {odd}", "it works in an empty folder of its own"
    assert not Path(folder).exists()


def test_answer_usage_cost_and_model_are_read_as_for_a_seat(tmp_path: Path) -> None:
    """S3.29: what comes back is the CLI's own result, with what it cost."""
    said = {"result": "fine", "model": "m-1", "usage": {"in": 3}, "usd": 0.25}
    output = {
        "format": "json", "answer": "result", "model": "model", "cost": "usd", "usage": {"input": "usage.in"},
    }  # fmt: skip
    profile = command(
        tmp_path, f"print({json.dumps(said)!r})", headless={"start": ["{argv}"], "output": output}
    )
    shot = once(profile)
    assert (shot.text, shot.model, shot.usage, shot.cost_usd) == ("fine", "m-1", {"input": 3}, 0.25)


@pytest.mark.parametrize(
    ("body", "expected", "words"),
    [
        ("import sys; sys.stderr.write('Error: no quota\\n'); sys.exit(3)", CliFailedError, "exit 3: Error: no quota"),
        ("import sys; sys.stderr.write('please sign in\\n'); sys.exit(1)", CliLoginError, "please sign in"),
        ("pass", CliSilentError, "without an answer"),
    ],
)  # fmt: skip
def test_every_way_to_fail_is_a_typed_error(
    tmp_path: Path, body: str, expected: type[SeatError], words: str
) -> None:
    """S2.12: a non-zero exit, a missing login and an empty answer are told apart, with the fix where there is one."""
    profile = command(tmp_path, body, auth_failure=["sign in"], login="own login")
    with pytest.raises(expected, match=words) as caught:
        once(profile)
    assert caught.value.advice == ("own login" if expected is CliLoginError else "")


def test_a_missing_cli_is_named_with_its_install_line(tmp_path: Path) -> None:
    """S1.21: one line says what to install."""
    profile = command(tmp_path, "pass", executable="no-such-cli", install="get it").model_copy(
        update={"argv": ("no-such-cli",)}
    )
    with pytest.raises(CliMissingError, match="no-such-cli is not installed") as caught:
        once(profile)
    assert caught.value.advice == "get it"


def test_a_timeout_kills_the_whole_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.20: one that ignores SIGTERM and its child are both gone when the error is raised."""
    monkeypatch.setattr(oneshot, "_GRACE_SECONDS", 0.1)
    with pytest.raises(CliTimeoutError, match=r"did not answer within 0\.6 s"):
        once(command(tmp_path, HANGS), timeout_s=0.6)
    none_left()


def test_a_cancellation_kills_the_whole_tree_and_other_work_goes_on(tmp_path: Path) -> None:
    """From inside a loop that does other things: cancelled, nothing of the call is left; the loop's thread is not the main one."""
    found: list[str] = []

    async def host() -> None:
        async with anyio.create_task_group() as tasks:
            spec = oneshot.spec_of(command(tmp_path, HANGS))
            tasks.start_soon(lambda: oneshot.run_once(spec, "x", timeout_s=30))
            while not (tmp_path / "cli.up").exists():  # noqa: ASYNC110
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
        none_left()
        found.append("gone")

    thread = threading.Thread(target=lambda: anyio.run(host))
    thread.start()
    thread.join(20)
    assert found == ["gone"]


@pytest.mark.full
def test_what_a_killed_caller_left_is_ended_by_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kill -9 of the host: its job's processes are gone after the next process that asks anything."""
    profile = command(tmp_path, HANGS)
    code = f"""
import anyio; from rt_config.profile_model import Profile; from rt_participant import oneshot
spec = oneshot.spec_of(Profile.model_validate_json({profile.model_dump_json()!r}))
anyio.run(lambda: oneshot.run_once(spec, 'x', timeout_s=30))
"""
    caller = subprocess.Popen([sys.executable, "-c", code])
    try:
        eventually((tmp_path / "cli.up").exists, what="the call")
    finally:
        caller.kill()
        caller.wait()
    assert processes.carrying("RT_CALL", oneshot._prefix())
    monkeypatch.setattr(oneshot, "_swept", False)
    monkeypatch.setattr(oneshot, "_GRACE_SECONDS", 0.1)
    once(get(load(configuration.load(tmp_path)), "rehearsal"))
    none_left()


def test_the_environment_can_be_the_one_a_seat_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `env` the CLI inherits that and the profile's own variables, nothing else of ours."""
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    body = "import os; print(sorted(n for n in os.environ if n in {'SECRET_OF_OURS', 'OWN', 'GIVEN'}))"
    profile = command(tmp_path, body, env={"OWN": "1"})
    env = {"GIVEN": "1", "PATH": os.environ["PATH"]}
    assert once(profile, env=env).text == "['GIVEN', 'OWN']"


@pytest.mark.full
def test_a_profile_without_a_headless_call_is_asked_over_acp(tmp_path: Path) -> None:
    """S2.3: the same question over the other transport, and the agent is gone afterwards."""
    plan = {"turns": [{"say": ["Hello", " there"]}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    fake = ["{python}", str(ROOT / "tests" / "fake_acp_agent.py"), str(tmp_path)]
    profile = Profile.model_validate({
        "name": "fake", "description": "fake", "family": "fake", "executable": sys.executable,
        "default_transport": "acp", "acp": {"argv": fake},
    })  # fmt: skip
    assert once(profile).text == "Hello there"
    none_left()

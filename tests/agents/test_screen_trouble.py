"""Real agent CLIs on their own screen when things are not easy: a long request, a slow model, a silent one."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from tests.agents.screens import CALLS, Seat, rung, turn_in, world_with_agents  # noqa: F401
from tests.agents.stub_model import Asked, StubModel
from tests.agents.test_headless_seats import NASTY
from tests.cli.world import World
from tests.helpers import eventually

pytestmark = [pytest.mark.agents, pytest.mark.timeout(400), pytest.mark.parametrize("cli", list(CALLS))]
LONG = "BEGIN-QUOKKA\n" + NASTY * 670 + "\x1b[201~\nEND-QUOKKA"
# How a model writes a file with each CLI; the names are the CLIs' own.
WRITES: dict[str, tuple[str, dict[str, str]]] = {
    "claude": ("Write", {"file_path": "{path}", "content": "x"}),
    "codex": ("exec_command", {"cmd": "echo x > {path}", "login": ""}),
    "gemini": ("write_file", {"file_path": "{path}", "content": "x"}),
    "opencode": ("write", {"filePath": "{path}", "content": "x"}),
    "copilot": ("create", {"path": "{path}", "file_text": "x"}),
    "qwen": ("write_file", {"file_path": "{path}", "content": "x"}),
}


def test_a_long_request_reaches_a_slow_model_whole(cli: str, world: World, model: StubModel) -> None:
    """S2.4, S1.22: 50 KB with quotes, dollars, semicolons, emoji and an end of paste, in parts, as they were; 25 s of thought are no failure."""
    seat = Seat(world, model, cli)
    seat.replies(1)

    def slowly(asked: Asked) -> str:
        if asked.results and turn_in(asked.results[-1]) and rung(asked):
            time.sleep(25)  # longer than an idle screen is left alone
        return "done"

    model.reply = slowly
    world.json("say", "-", stdin=LONG)
    seat.replies(2)
    assert len(LONG.encode()) > 50_000
    shown = ([turn_in(result) for result in one.results] for one in model.asked)
    whole = ["".join(one["request"] for one in parts if one.get("turn") == "m3/a") for parts in shown]
    # copilot keeps marks that turn the direction of text around from its model
    wanted = LONG.replace("\u202e", "") if cli == "copilot" else LONG
    assert wanted in whole, [len(one) for one in whole]
    assert seat.nudges() == [("m1/a", "1"), ("m3/a", "1")]
    assert seat.status()["failures"] == 0


def test_a_model_that_never_answers_is_a_time_out_and_a_new_session(
    cli: str, world: World, model: StubModel
) -> None:
    """S1.22, S2.21: the turn fails at its deadline and is said, the screen is replaced, and the next turn is answered."""
    never = threading.Event()

    def reply(asked: Asked) -> str:
        if (
            asked.results
            and "QUOKKA" in json.dumps(asked.results)
            and "WOMBAT" not in json.dumps(asked.results)
        ):
            never.wait(120)
        return "done"

    world.configure("drain_timeout_seconds = 1\n")
    seat = Seat(world, model, cli, start=False)
    model.reply = reply
    try:
        seat.start(timeout=30)
        first = world.snapshot(seat.table)["seats"][0].get("seen_mark")
        eventually(lambda: world.turns(seat.table)["m1/a"] == "failed", seconds=90, what="the deadline")
        (said,) = world.record(seat.table, "system")
        assert said["body"].startswith("[TIMEOUT] a did not answer m1/a"), said["body"]
        assert seat.status()["failures"] == 1
        world.json("set", "turn-timeout=100")
        world.json("say", "And why, WOMBAT?")
        seat.replies(1)
    finally:
        never.set()
    assert seat.row()["seen_mark"] != first
    assert (seat.status()["transport"], seat.status()["failures"]) == ("tui", 0)


@pytest.mark.parametrize("access", ["read-only", "write"])
def test_only_with_write_access_a_screen_writes(
    cli: str, access: str, world: World, model: StubModel
) -> None:
    """S1.28, S2.17: a model that calls its writing tool in its turn gets a file only with leave, and nobody is asked."""
    file = world.work / "written.txt"
    seat = Seat(world, model, cli, start=False)
    name, fields = WRITES[cli]
    args: dict[str, Any] = {key: value.replace("{path}", str(file)) for key, value in fields.items()}
    seat.between = (name, args | ({"login": False} if "login" in args else {}))
    seat.start("--access", access)
    seat.replies(1)
    assert seat.status()["failures"] == 0
    assert file.exists() == (access == "write"), [one.results for one in model.asked][-2:]

"""A CLI nobody knows, told to rt by one table of TOML: its seats are killed in every way, mid-turn and between turns."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

import pytest

from tests.cli.world import World
from tests.helpers import eventually
from tests.killing import KILLS, finished

SEED = os.environ.get("RT_TEST_SEED")  # read now: a test's environment is private
FAKE = Path(__file__).parents[1] / "fake_cli.py"
SEATS = ("a", "b", "c")


def configured(world: World) -> Path:
    """Tell rt of the CLI; returns its folder."""
    folder = world.work / "fake"
    folder.mkdir()
    call = json.dumps(["{executable}", str(FAKE), str(folder)])[:-1]
    world.configure(f"""
[profiles.stranger]
extends = "command"
description = "a CLI nobody knows"
family = "stranger"
executable = "{sys.executable}"
[profiles.stranger.headless]
start = {call}, "start"]
resume = {call}, "resume", "{{session}}"]
session = "read"
[profiles.stranger.headless.output]
format = "jsonl"
answer = "answer"
session = "session"
usage = {{ output = "tokens" }}
""")
    return folder


def thinking(folder: Path, slug: str) -> None:
    """Wait until the seat's CLI has been asked while it was held."""
    eventually((folder / f"thinking-{slug}-0").exists, seconds=20, what=f"{slug} thinks")


def test_killed_seats_answer_all_the_same(world: World) -> None:
    """S2.34, S1.27: CLI, runner and pane die mid-turn and between turns: one answer a turn, or a failure that is said."""
    folder = configured(world)
    hold(folder, True)
    table = world.start(*(word for slug in SEATS for word in ("--seat", f"{slug}=stranger")), "--detach")
    for slug, kill in zip(SEATS, KILLS.values(), strict=True):
        thinking(folder, slug)
        assert kill(world, table, slug)
    hold(folder, False)
    world.answered(table)
    assert set(finished(world, table).values()) == {"answered"}
    for slug, kill in zip(("b", "c"), (KILLS["runner"], KILLS["pane"]), strict=True):
        assert kill(world, table, slug)
    world.json("say", "And then?")
    world.answered(table)
    finished(world, table)
    last = {m["from"]: m["body"] for m in world.record(table, "reply")[len(SEATS) :]}
    assert set(last.values()) == {"## Position\nThis session has had 2 prompts."}, last


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("run", range(6))
def test_killed_at_any_moment_the_table_is_finished_and_honest(world: World, run: int) -> None:
    """S2.34: kills at random moments of two rounds, often enough that seats are lost; RT_TEST_SEED repeats a run."""
    seed = int(SEED or random.SystemRandom().randrange(10**6)) + run
    print(f"RT_TEST_SEED={seed - run} run {run}")  # noqa: T201 (shown when it fails)
    chance = random.Random(seed)
    folder = configured(world)
    table = world.start(*(word for slug in SEATS for word in ("--seat", f"{slug}=stranger")), "--detach")
    for round_ in (1, 2):
        for _ in range(chance.randint(3, 9)):
            hold(folder, chance.random() < 0.7)
            time.sleep(chance.uniform(0, 0.5))
            name, slug = chance.choice(list(KILLS)), chance.choice(SEATS)
            print(name, slug, KILLS[name](world, table, slug))  # noqa: T201
        hold(folder, False)
        world.answered(table, 60)
        finished(world, table)
        live = [seat["slug"] for seat in world.json("status")["seats"] if seat["state"] != "dropped"]
        if round_ == 1 and live:
            assert world.json("say", "And then?")["asked"] == live
    assert world.json("end", "--without-synthesis")["state"] == "ended"
    world.json("archive")
    assert world.sessions() == []


def hold(folder: Path, held: bool) -> None:
    """Have the CLI think from now on, or answer."""
    (folder / "hold").touch() if held else (folder / "hold").unlink(missing_ok=True)

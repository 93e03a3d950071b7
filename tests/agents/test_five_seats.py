"""A table of five different real CLIs on mixed transports: two rounds, and then everything killed at any time."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import as_toml, configured
from tests.agents.screens import next_call, rung
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World, world_of_its_own  # noqa: F401
from tests.helpers import eventually
from tests.killing import KILLS, SHARED, finished

SEED = os.environ.get("RT_TEST_SEED")  # read now: a test's environment is private
SEATS = {
    "anna": "claude:stub-1@tui",
    "ben": "codex:stub-1@tui",
    "cleo": "gemini:stub-1@acp",
    "dan": "opencode@headless",
    "eve": "copilot@headless",
}
SCREENS = {"/messages": "claude", "/responses": "codex"}  # where their models are asked
FIVE = tuple(spec.partition(":")[0].partition("@")[0] for spec in SEATS.values())
ANSWER = "## Position\nSmall first."
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("cli", [FIVE], ids=["five"]),
]


class Model:
    """The stub, which can be made to think about the request; who asked it is read from what it was told."""

    def __init__(self, stub: StubModel) -> None:
        self._stub, self._go = stub, threading.Event()
        self._go.set()
        stub.reply, stub.script = self._reply, self._call

    def _reply(self, asked: Asked) -> str:
        if asked.results or not rung(asked):  # who was rung sees the request first
            self._go.wait(300)
        return ANSWER

    def _call(self, asked: Asked) -> tuple[str, dict[str, Any]] | None:
        cli = next((cli for end, cli in SCREENS.items() if asked.path.partition("?")[0].endswith(end)), "")
        return next_call(asked, cli, ANSWER) if cli else None

    def hold(self) -> None:
        """Think until `go`."""
        self._go.clear()

    def go(self) -> None:
        """Answer, also what is waiting."""
        self._go.set()

    def asked(self, slug: str, marker: str) -> list[Asked]:
        """The requests of a seat that hold `marker` in its prompt, or in what it was shown when it asked for its turn."""

        def shown(one: Asked) -> bool:
            prompts = [text for role, text in one.conversation if role == "user"]
            return any(marker in text for text in [*prompts, *one.results])

        who = f"(participant/{slug})"
        return [one for one in self._stub.asked if shown(one) and who in json.dumps(one.body)]

    def thinking(self, slug: str, marker: str, before: int = 0) -> None:
        """Wait until the seat has asked with `marker`, once more than `before`."""
        eventually(
            lambda: len(self.asked(slug, marker)) > before, seconds=90, what=f"{slug} asks for {marker}"
        )


def replied(world: World, table: str) -> None:
    """Wait as a person does, which starts a host that is missing, until no turn is open."""
    done = world.run("wait", "--for", "all", "--timeout", "240", timeout=270)
    assert done.returncode == 0, (done.stdout, done.stderr, world.turns(table))


def killed(what: str, world: World, table: str) -> list[str]:
    """The seats that lost it."""
    if what in SHARED:
        SHARED[what](world, table)
        return list(SEATS)
    return [slug for slug in SEATS if KILLS[what](world, table, slug)]


@pytest.fixture(name="held")
def held_model(model: StubModel) -> Iterator[Model]:
    """The model; afterwards nobody waits for it."""
    found = Model(model)
    yield found
    found.go()


@pytest.fixture(name="start")
def starts_the_table(
    cli: tuple[str, ...], agent_home: Path, world: World, model: StubModel, held: Model
) -> Callable[[str], str]:
    """Starts the table of the five with a topic; returns its id."""
    found = configured(model)
    content = json.loads(found["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"]) | {"model": "stub/stub-1"}
    found["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"] = json.dumps(content)
    world.configure(as_toml(found))
    seats = [word for slug, spec in SEATS.items() for word in ("--seat", f"{slug}={spec}")]
    return lambda topic: world.start(*seats, "--detach", topic=topic)


def test_five_different_agents_run_two_rounds(start: Callable[[str], str], world: World, held: Model) -> None:
    """S2.3, S1.11: five CLIs on three transports answer twice; each one's model sees round 1 in the conversation of round 2."""
    table = start("Which cache, QUESTION-ONE?")
    replied(world, table)
    assert world.json("say", "And for writes, QUESTION-TWO?")["asked"] == list(SEATS)
    replied(world, table)
    assert set(finished(world, table).values()) == {"answered"}
    for slug in SEATS:
        talks = [json.dumps(one.body) for one in held.asked(slug, "QUESTION-TWO")]
        assert any("QUESTION-ONE" in talk and "Small first" in talk for talk in talks), slug
    seats = {seat["slug"]: seat for seat in world.json("status")["seats"]}
    assert {slug: seat["failures"] for slug, seat in seats.items()} == dict.fromkeys(SEATS, 0)
    assert [seats[slug]["transport"] for slug in SEATS] == ["tui", "tui", "acp", "headless", "headless"]
    counted = [seats[slug]["usage"]["calls"] for slug in SEATS if seats[slug]["transport"] != "tui"]
    assert counted == [2, 2, 2]
    nudged = [one for one in world.json("events")["events"] if one["type"] == "nudged" and "nudge" in one]
    assert sorted(one["seat"] for one in nudged) == ["anna", "anna", "ben", "ben"], nudged


@pytest.mark.parametrize("what", [*KILLS, *SHARED])
def test_everything_is_killed_mid_turn_and_between_turns(
    what: str, start: Callable[[str], str], world: World, held: Model
) -> None:
    """S2.19, S2.21, S2.34: each of the five answers after it lost its CLI, its runner or its pane, or all lost tmux or their host.

    Once while they think, and once while they idle.
    """
    held.hold()
    table = start("Which cache, QUESTION-ONE?")
    for slug in SEATS:
        held.thinking(slug, "QUESTION-ONE")
    assert killed(what, world, table) == list(SEATS)
    held.go()
    replied(world, table)
    assert set(finished(world, table).values()) == {"answered"}
    killed(what, world, table)  # a headless CLI does not run between turns
    world.json("say", "And for writes, QUESTION-TWO?")
    replied(world, table)
    assert set(finished(world, table).values()) == {"answered"}
    assert len(world.turns(table)) == 2 * len(SEATS)
    assert not world.json("status")["degraded"]
    if what in SHARED:
        assert {seat["failures"] for seat in world.json("status")["seats"]} == {0}


def test_seats_that_are_lost_are_said_first(start: Callable[[str], str], world: World, held: Model) -> None:
    """S2.22: two of the five are killed until no rung is left, at its screen and beyond it; the table goes on with three, and says who is missing."""
    held.hold()
    table = start("Which cache, QUESTION-ONE?")
    lost = ["ben", "cleo"]
    for slug in lost:
        for count in range(3):
            held.thinking(slug, "QUESTION-ONE", count)
            assert eventually(lambda slug=slug: KILLS["cli"](world, table, slug), seconds=20, what=slug)  # type: ignore[misc]
    held.go()
    replied(world, table)
    turns = finished(world, table)
    assert {turn.partition("/")[2] for turn, state in turns.items() if state == "failed"} == set(lost)
    assert {gone["seat"] for gone in world.json("status")["degraded"]} == set(lost)
    assert world.text("status").startswith("DEGRADED: ")
    asked = world.json("say", "And for writes, QUESTION-TWO?")["asked"]
    assert asked == [slug for slug in SEATS if slug not in lost]
    replied(world, table)
    finished(world, table)
    assert world.json("end", "--without-synthesis")["state"] == "ended"


@pytest.mark.parametrize("run", range(2))
def test_killed_at_any_moment_the_table_is_finished_and_honest(
    run: int, start: Callable[[str], str], world: World
) -> None:
    """S2.34: kills at random moments of two rounds; every turn has one answer or one failure that is said."""
    seed = int(SEED or random.SystemRandom().randrange(10**6)) + run
    print(f"RT_TEST_SEED={seed - run} run {run}")  # noqa: T201 (shown when it fails)
    chance = random.Random(seed)
    table = start("Which cache?")
    for round_ in (1, 2):
        for _ in range(8):
            time.sleep(chance.uniform(0, 2))
            name, slug = chance.choice(list(KILLS)), chance.choice(list(SEATS))
            print(name, slug, KILLS[name](world, table, slug))  # noqa: T201
        name = chance.choice([*SHARED, ""])
        print(name, name and killed(name, world, table))  # noqa: T201
        replied(world, table)
        finished(world, table)
        live = [seat["slug"] for seat in world.json("status")["seats"] if seat["state"] != "dropped"]
        if round_ == 1 and live:
            assert world.json("say", "And for writes?")["asked"] == live
    assert world.json("end", "--without-synthesis")["state"] == "ended"

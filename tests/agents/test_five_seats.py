"""A table of five different real CLIs on mixed transports: two rounds, and then everything killed at any time."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.agents.conftest import as_toml, configured
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World, world_of_its_own  # noqa: F401
from tests.helpers import eventually
from tests.killing import KILLS, finished

SEED = os.environ.get("RT_TEST_SEED")  # read now: a test's environment is private
SEATS = {
    "anna": "claude:stub-1@headless",
    "ben": "codex:stub-1@headless",
    "cleo": "gemini:stub-1@acp",
    "dan": "opencode@acp",
    "eve": "copilot@headless",
}
FIVE = tuple(spec.partition(":")[0].partition("@")[0] for spec in SEATS.values())
ANSWER = "## Position\nSmall first."
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("cli", [FIVE], ids=["five"]),
]


class Model:
    """The stub, which can be made to think; who asked it is read from the prompt."""

    def __init__(self, stub: StubModel) -> None:
        self._stub, self._go = stub, threading.Event()
        self._go.set()
        stub.reply = self._reply

    def _reply(self, _asked: Asked) -> str:
        self._go.wait(300)
        return ANSWER

    def hold(self) -> None:
        """Think until `go`."""
        self._go.clear()

    def go(self) -> None:
        """Answer, also what is waiting."""
        self._go.set()

    def asked(self, slug: str, marker: str) -> list[Asked]:
        """The requests of a seat that hold `marker`."""
        who = f"participant/{slug}"
        return [one for one in self._stub.main_requests(marker) if f"({who})" in json.dumps(one.conversation)]

    def thinking(self, slug: str, marker: str, before: int = 0) -> None:
        """Wait until the seat has asked with `marker`, once more than `before`."""
        eventually(
            lambda: len(self.asked(slug, marker)) > before, seconds=90, what=f"{slug} asks for {marker}"
        )


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
    """S2.3, S1.11: five CLIs on two transports answer twice; each one's model sees round 1 in the conversation of round 2."""
    table = start("Which cache, QUESTION-ONE?")
    world.answered(table, 120)
    assert world.json("say", "And for writes, QUESTION-TWO?")["asked"] == list(SEATS)
    world.answered(table, 120)
    assert set(finished(world, table).values()) == {"answered"}
    for slug in SEATS:
        talks = [one.conversation for one in held.asked(slug, "QUESTION-TWO")]
        assert any(
            "QUESTION-ONE" in json.dumps(talk)
            and any(role == "assistant" and "Small first" in said for role, said in talk)
            for talk in talks
        ), slug
    seats = {seat["slug"]: seat for seat in world.json("status")["seats"]}
    assert {slug: seat["failures"] for slug, seat in seats.items()} == dict.fromkeys(SEATS, 0)
    assert {seat["transport"] for seat in seats.values()} == {"headless", "acp"}
    assert all(seat["usage"]["calls"] == 2 for seat in seats.values())


@pytest.mark.parametrize("what", list(KILLS))
def test_every_seat_is_killed_mid_turn_and_between_turns(
    what: str, start: Callable[[str], str], world: World, held: Model
) -> None:
    """S2.19, S2.21: each of the five loses its CLI, its runner or its pane while it thinks and while it idles, and answers."""
    held.hold()
    table = start("Which cache, QUESTION-ONE?")
    for slug in SEATS:
        held.thinking(slug, "QUESTION-ONE")
    for slug in SEATS:
        assert KILLS[what](world, table, slug), slug
    held.go()
    world.answered(table, 180)
    assert set(finished(world, table).values()) == {"answered"}
    for slug in SEATS:
        KILLS[what](world, table, slug)  # a headless CLI does not run between turns
    world.json("say", "And for writes, QUESTION-TWO?")
    world.answered(table, 180)
    assert set(finished(world, table).values()) == {"answered"}
    assert len(world.turns(table)) == 2 * len(SEATS)


def test_seats_that_are_lost_are_said_first(start: Callable[[str], str], world: World, held: Model) -> None:
    """S2.22: two of the five are killed until no rung is left; the table goes on with three, and says who is missing."""
    held.hold()
    table = start("Which cache, QUESTION-ONE?")
    lost = random.Random(4).sample(list(SEATS), 2)
    for slug in lost:
        for count in range(3):
            held.thinking(slug, "QUESTION-ONE", count)
            assert eventually(lambda slug=slug: KILLS["cli"](world, table, slug), seconds=20, what=slug)  # type: ignore[misc]
    held.go()
    world.answered(table, 180)
    turns = finished(world, table)
    assert {turn.partition("/")[2] for turn, state in turns.items() if state == "failed"} == set(lost)
    assert {gone["seat"] for gone in world.json("status")["degraded"]} == set(lost)
    assert world.text("status").startswith("DEGRADED: ")
    asked = world.json("say", "And for writes, QUESTION-TWO?")["asked"]
    assert asked == [slug for slug in SEATS if slug not in lost]
    world.answered(table, 180)
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
        world.answered(table, 200)
        finished(world, table)
        live = [seat["slug"] for seat in world.json("status")["seats"] if seat["state"] != "dropped"]
        if round_ == 1 and live:
            assert world.json("say", "And for writes?")["asked"] == live
    assert world.json("end", "--without-synthesis")["state"] == "ended"

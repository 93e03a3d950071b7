"""The host of a running format, a real process with real seats, is killed -9: the report is that of a run nobody disturbed."""

from __future__ import annotations

import difflib
import json
import re
from itertools import count
from typing import Any

import pytest

from rt_mailbox import tables
from tests.cli.world import World
from tests.helpers import eventually

_TIMES = re.compile(
    r"\b\d+(?:\.\d+)? (?:s|min)\b|\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?|rt-\d{8}-\d{4}-[a-z0-9-]+|\([a-z]+ m\d+\)|^- (?:Usage|Turns): .*$",
    re.MULTILINE,
)
_SEATS = ["--seat", "ann=rehearsal:agree", "--seat", "bob=rehearsal:dissent", "--seat", "cy=rehearsal"]
_TWO_STAGES = [word for slug in ("drafter", "writer", "reviewer") for word in ("--seat", f"{slug}=rehearsal")]
_PARTS = [word for slug in ("costs", "risks", "integrator") for word in ("--seat", f"{slug}=rehearsal")]
_AUDIT = ["--on-deadlock", "stop"]
RUNS = {
    "debate": [*_SEATS, "--no-search", "--validate"],
    "sequential": [*_TWO_STAGES, "--no-search"],
    "hybrid": [*_PARTS, "--no-search"],
    "auto": ["--no-search"],
    "panel": [*_SEATS, *_AUDIT],
    "pingpong": [*_SEATS[:4], *_AUDIT],
    "roles": [*_SEATS, *_AUDIT],
    "interpret": _SEATS,
    "table": [*_SEATS, "--rounds", "2"],
}
_NUMBER, _NUMBERS = re.compile(r"\bm(\d+)\b"), re.compile(r"\b(?:[a-z]+ )?m\d+(?:, (?:[a-z]+ )?m\d+)+")


def began(world: World, name: str, *more: str) -> str:
    """A run of its own, at work; labels are names, because real ones are shuffled by the table's id."""
    words = ("run", "Should we cache?", "--format", name, *RUNS[name], "--named", "--moderator", "rehearsal")
    return str(world.json(*words, "--new", "--detach", *more)["table"])


def killed(world: World, table: str) -> None:
    """End the host's process at once; nothing else."""
    process = world.host(table)
    process.kill()
    process.wait(10)


def over(world: World, table: str) -> dict[str, Any]:
    """Wait until the format has ended: result.json."""
    found = world.json("wait", "--for", "gate", "--timeout", "60", "-t", table)
    assert found["ready"], world.text("events", "-t", table)[-2000:]
    result: dict[str, Any] = world.json("show", "report", "-t", table)
    assert result["status"] != "failed", result
    return result


def left(world: World, table: str) -> dict[str, Any]:
    """What a run left, messages renumbered within a parallel step, times and usage masked."""
    record = world.record(table)
    opened = {m["seq"]: m for m in record if m["kind"] == "intent"}
    last, keys = 0, {}
    for message in record:
        last = message["seq"] if message["seq"] in opened else last
        keys[message["seq"]] = (last, message["kind"] != "intent", message["turn"] or "~", message["seq"])
    order = {seq: place for place, seq in enumerate(sorted(keys, key=lambda seq: keys[seq]), 1)}

    def shown(text: str) -> str:
        renumbered = _NUMBER.sub(lambda found: f"m{order.get(int(found[1]), 0)}", text)
        ordered = _NUMBERS.sub(lambda found: ", ".join(sorted(found[0].split(", "))), renumbered)
        return _TIMES.sub("…", ordered)

    said = sorted((order[m["seq"]], m["from"], m["kind"], m["turn"], shown(m["body"])) for m in record)
    turns = {turn["id"]: (turn["state"], shown(turn["request"])) for turn in world.snapshot(table)["turns"]}
    return {
        "report": shown(world.text("show", "report", "-t", table)).splitlines(),
        "record": said,
        "turns": turns,
    }


def same(world: World, table: str, calm: str) -> None:
    """Both runs left the same; says where they do not."""
    one, other = (json.dumps(left(world, each), indent=1).splitlines() for each in (table, calm))
    assert not list(difflib.unified_diff(other, one, "calm", "killed", n=0, lineterm=""))


def events(world: World, table: str) -> list[str]:
    """The kinds of what happened so far."""
    return [event["type"] for event in tables.events(world.door(), table)]


@pytest.mark.parametrize("name", ["debate", pytest.param("panel", marks=pytest.mark.full)])
def test_a_run_whose_host_is_killed_ends_as_if_nothing_had_happened(world: World, name: str) -> None:
    """S0, S2: killed in the middle of its first step and again while a job writes the synthesis; nothing but rt brings it back."""
    calm, table = began(world, name), began(world, name)
    eventually(lambda: "replied" in events(world, table) or None, seconds=30, what="a first reply")
    killed(world, table)
    assert world.json("resume", table)["host_started"]
    eventually(lambda: "jobs" in events(world, table) or None, seconds=60, what="a job")
    killed(world, table)
    over(world, table)  # rt wait starts a host that is missing
    over(world, calm)
    same(world, table, calm)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", RUNS)
def test_the_host_dies_again_and_again(world: World, name: str) -> None:
    """S0–S3: killed after every tenth event, for each format, until the run is over."""
    calm = began(world, name)
    over(world, calm)
    table = began(world, name)
    for times in count(1):
        reached(world, table, 10 * times)
        if ended(world, table):
            break
        killed(world, table)
        world.json("resume", table)
    assert times > 2
    over(world, table)
    same(world, table, calm)


def ended(world: World, table: str) -> bool:
    """Whether the format is over."""
    return world.snapshot(table)["table"].get("phase") in ("done", "failed", "stuck")


def reached(world: World, table: str, number: int) -> None:
    """Wait for the table's n-th event, or its end."""
    eventually(
        lambda: ended(world, table) or len(events(world, table)) >= number or None, seconds=60, what=f"event {number}"
    )  # fmt: skip

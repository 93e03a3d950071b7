"""--roles auto of start and run: made for the topic, shown, and nothing exists before a yes."""

from __future__ import annotations

from tests.cli.terminal import terminal
from tests.cli.world import World

THREE = [word for slug in ("ann", "bob", "cy") for word in ("--seat", f"{slug}=rehearsal")]
MADE = {"Doubter", "Outsider", "Builder", "Keeper", "Counter"}


def test_roles_for_the_topic_are_in_the_plan(world: World) -> None:
    """S1.4, S1.7: five seats, five roles and focuses; what was given by hand stays; formats without roles refuse; nothing is made."""
    seats = world.json("start", "Cache?", "--roles", "auto", "--dry-run")["seats"]
    assert {seat["role"] for seat in seats} == MADE
    assert len({seat["viewpoint"] for seat in seats}) == 5
    assert {seat["slug"] for seat in seats} == {name.lower() for name in MADE}
    mine = world.json(
        "run", "Cache?", "--format", "debate", *THREE, "--role", "bob=Owner", "--roles", "auto", "--dry-run"
    )
    roles = {seat["slug"]: seat["role"] for seat in mine["seats"]}
    assert roles["bob"] == "Owner"
    assert {roles["ann"], roles["cy"]} < MADE
    for name in ("interpret", "panel", "auto"):
        words = ("run", "Cache?", "--format", name, *(THREE if name != "auto" else ()), "--roles", "auto")
        assert world.refused(*words, exit_code=2) == "bad_config", name
    unasked = world.inside("start", "Cache?", *THREE, "--roles", "auto")
    assert unasked.returncode == 2
    assert "Doubter" in unasked.stderr
    assert "add --yes" in unasked.stderr
    assert not (world.base / "h" / "tables").exists()


def test_roles_are_confirmed_on_a_terminal(world: World) -> None:
    """S1.5, S1.7: start / edit / cancel after the roles are shown; a no leaves nothing, a yes seats them as they were shown."""
    with terminal(world, 130, 40) as me:
        me.type(f"rt start 'Cache?' {' '.join(THREE)} --roles auto --wake none; echo exit $?")
        me.shows("Outsider", "Start it? (y, n, edit)")
        assert not (world.base / "h" / "tables").exists()
        me.type("n")
        me.shows("exit 1")
        me.type(f"clear; rt start 'Cache?' {' '.join(THREE)} --roles auto --wake none; echo exit $?")
        me.shows("Start it? (y, n, edit)")
        me.type("y")
        me.shows("is open", "exit 0")
    table = world.json("list")["tables"][0]["table"]
    assert [seat["role"] for seat in world.snapshot(table)["seats"]] == ["Doubter", "Outsider", "Builder"]

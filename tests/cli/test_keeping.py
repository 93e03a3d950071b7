"""Tables that go elsewhere and come back: export, import, archive --offload, --delete-record, backup, restore."""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rt_mailbox import directory, groups, tables
from rt_mailbox.keeping import archives, lines, staging
from tests.cli.laid import TABLE, Laid
from tests.cli.world import World
from tests.helpers import Bus, rt

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


@pytest.fixture(name="away")
def another_home(world: World) -> Iterator[dict[str, str]]:
    """The environment of another RT_HOME, as on another machine; stopped afterwards."""
    home = world.base / "away"
    yield {"RT_HOME": str(home), "TMUX_TMPDIR": str(world.base)}
    rt("bus", "stop", "--force", env={"RT_HOME": str(home)}, timeout=60)


@pytest.mark.full
def test_a_table_goes_on_elsewhere(world: World, away: dict[str, str]) -> None:
    """S4.27: exported while open, or offloaded and the file copied, a table goes on in another home: same seats, same cursors."""
    table = world.start(*TWO)
    world.answered(table)
    world.text("drain", "--max", "1")
    exported = world.json("export", table, "t.jsonl")
    assert exported["messages"] == 3
    assert (world.work / "t.jsonl").stat().st_mode & 0o777 == 0o600

    found = world.json("import", "-", env=away, stdin=(world.work / "t.jsonl").read_bytes())
    assert found == {"table": table, "messages": 3, "imported": True}
    back = world.json("resume", table, env=away)
    assert (set(back["seats"]), back["record"], back["unread"]) == ({"a", "b"}, 3, 1)
    world.text("post", "-m", "From here.", "--as", "user", env=away)
    assert world.refused("import", "t.jsonl", env=away) == "table_exists"
    world.text("archive", "--offload", "--without-synthesis", env=away)

    file = Path(away["RT_HOME"], "archive", f"{table}.jsonl")
    world.text("archive", "--without-synthesis")
    assert world.refused("archive", "-t", table, "--delete-record", exit_code=2) == "confirmation_needed"
    assert world.refused("archive", "-t", table, "--delete-record", "--confirm", "x", exit_code=2) == "usage"
    assert world.json("archive", "-t", table, "--delete-record", "--confirm", table)["state"] == "deleted"
    assert world.json("list", "--archived")["tables"] == []
    here = archives.path_of(table)
    here.parent.mkdir(exist_ok=True)
    shutil.copy(file, here)
    (row,) = world.json("list", "--archived")["tables"]
    assert (row["table"], row["seats"]) == (table, ["a", "b"])
    back = world.json("resume", table)
    assert (set(back["seats"]), back["record"], back["unread"]) == ({"a", "b"}, 4, 0)


@pytest.mark.full
def test_an_offloaded_table_is_read_from_its_file(bus: Bus, world: World) -> None:
    """S4.26: what showed the table shows the same from the file; what would change it is table_archived."""
    laid = Laid(bus, "a")
    step = laid.ask("Which one?", "a")
    laid.reply(f"{step}/a", "## Position\nThe small one.")
    groups.commit(
        laid.door,
        TABLE,
        laid.group,
        "moderator",
        groups.read(laid.door, TABLE, laid.group, "moderator")["receipt"],
    )
    laid.door.command("DEL", "rt:{" + TABLE + "}:host")
    world.text("archive", "--without-synthesis")
    reads = (
        ("show", f"{TABLE}/m2"),
        ("show", f"{step}/a"),
        ("search", "small"),
        ("transcript",),
        ("events",),
    )
    before = [world.json(*one, "-t", TABLE) for one in reads]
    path = world.json("archive", "--offload", "-t", TABLE)["file"]
    assert [world.json(*one, "-t", TABLE) for one in reads] == before
    assert world.json("archive", "--offload", "-t", TABLE)["file"] == path
    for refused in (("status",), ("drain",), ("say", "x"), ("read", "--as", "user"), ("post", "-m", "x")):
        assert world.refused(*refused, "-t", TABLE) == "table_archived", refused
    assert json.loads(world.text("export", TABLE).splitlines()[0])["table"] == TABLE
    raw = Path(path).read_bytes()
    Path(path).write_bytes(raw.replace(b"small", b"large"))
    assert world.refused("show", "m2", "-t", TABLE) == "damaged_file"
    assert world.refused("resume", TABLE) == "damaged_file"
    Path(path).unlink()
    assert world.refused("transcript", "-t", TABLE) == "archive_missing"
    Path(path).write_bytes(raw)
    assert world.json("show", "m2", "-t", TABLE)["messages"][0]["body"] == "## Position\nThe small one."


def test_a_backup_is_made_and_restored(bus: Bus, world: World) -> None:
    """The bus in one file and back; a table that differs needs --force."""
    laid = Laid(bus, "a")
    laid.post("moderator", "one")
    made = world.json("bus", "backup", "b.jsonl")
    assert (made["spaces"], made["messages"]) == (["default", TABLE], 1)
    laid.post("moderator", "two")
    assert world.refused("bus", "restore", "b.jsonl") == "table_exists"
    assert world.refused("bus", "restore", "missing.jsonl") == "file_failed"
    assert world.json("bus", "restore", "b.jsonl", "--force")["restored"] == [TABLE]
    assert [m["body"] for m in world.json("transcript", "-t", TABLE)["messages"]] == ["one"]


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_large_table_needs_little(bus: Bus, world: World, away: dict[str, str]) -> None:
    """100,000 messages go out and in within a minute each, say how far they are, and need less than 200 MB each."""
    laid, body = Laid(bus), "x" * 1000
    fields = {
        "from": "moderator",
        "kind": "note",
        "round": "1",
        "turn": "",
        "subject": "",
        "body": body,
        "at": "1",
        "eligible": "1",
    }
    part = staging.Staging(laid.door, TABLE)
    part.fill({"message": n, "group": laid.group, "fields": fields} for n in range(1, 100_001))
    laid.door.command(
        "RENAME", f"rt:{{{TABLE}}}:import:{part._name}:log:{laid.group}", f"rt:{{{TABLE}}}:log:{laid.group}"
    )
    laid.door.command("PERSIST", f"rt:{{{TABLE}}}:log:{laid.group}")
    laid.door.command("HSET", f"rt:{{{TABLE}}}:group:{laid.group}", "head", 100_000)
    for words, env in ((("export", TABLE, "big.jsonl"), {}), (("import", "big.jsonl"), away)):
        began = time.monotonic()
        done = world.run(*words, env=env, timeout=300)
        took = time.monotonic() - began
        assert done.returncode == 0, done.stderr
        worst = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"{words[0]}: {took:.1f} s, at most {worst} MB")  # noqa: T201 (a measurement)
        assert took < 60
        assert " of 100," in done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 200 * 1024


@pytest.mark.full
@pytest.mark.timeout(900)
def test_the_commands_killed_at_random(bus: Bus, world: World) -> None:
    """S4.26: archive --offload and resume are killed at random moments; one copy is whole, and the next run completes."""
    laid, chance = Laid(bus), random.Random(4)
    for n in range(300):
        laid.post("moderator", f"{n} " + "x" * 500)
    laid.mark("archived")
    laid.door.command("DEL", f"rt:{{{TABLE}}}:host")
    for _ in range(25):
        for words in (("archive", "--offload", "-t", TABLE), ("resume", TABLE)):
            process = world.popen(*words)
            time.sleep(chance.uniform(0.15, 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            in_bus = archives.tombstone(laid.door, TABLE) is None
            if in_bus:
                assert len(laid.door.command("XRANGE", f"rt:{{{TABLE}}}:log:{laid.group}", "-", "+")) == 300
            else:
                with archives.path_of(TABLE).open("rb") as file:
                    assert lines.verify(file, "it").spaces[0].header["messages"] == 300
            world.text(*words)
            if words[0] == "resume":
                assert archives.tombstone(laid.door, TABLE) is None
                world.text("end", "--without-synthesis", "-t", TABLE)
                world.text("archive", "-t", TABLE)
    assert directory.entries(laid.door, "default")[TABLE]["state"] == "archived"
    assert tables.snapshot(laid.door, TABLE) is not None

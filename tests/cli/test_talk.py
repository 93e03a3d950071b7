"""A discussion at the command line: say, wait, drain, synthesis."""

from __future__ import annotations

import json

import pytest

from tests.cli.world import ECHO, World

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


@pytest.fixture(name="table")
def table_of_two(world: World) -> str:
    """A table whose two seats have answered the opening."""
    table = world.start(*TWO, "--stop-when", "we agree")
    world.answered(table)
    return table


def test_wait_and_drain(world: World, table: str) -> None:
    """S0.3, S4.17: what was answered is waiting, drained once, and then nothing is left; a peek takes nothing."""
    assert world.json("wait") == {"ready": True, "unread": 2, "waiting_for": []}
    peeked = world.json("drain", "--peek")
    first = world.json("drain", "--max", "1")
    second = world.json("drain")
    assert [m["seq"] for m in peeked["messages"]] == [2, 3]
    assert ([m["seq"] for m in first["messages"]], first["unread_left"]) == ([2], 1)
    assert ([m["seq"] for m in second["messages"]], second["unread_left"]) == ([3], 0)
    assert set(first["messages"][0]) == {
        "seq", "id", "from", "kind", "round", "turn", "subject", "body", "sent_at", "citations",
    }  # fmt: skip
    assert world.json("drain")["messages"] == []
    assert world.run("wait", "--timeout", "0.2").returncode == 3
    assert world.json("wait", "--for", "all", "--timeout", "0.2")["ready"] is True
    assert world.json("drain", "--as", "user")["messages"][0]["id"] == f"{table}/m1"


def test_say_asks_all_or_some(world: World, table: str) -> None:
    """S4.13: say asks every live seat at once, --to only those named, in any number of steps; undrained replies are told."""
    found = world.json("say", "And at night?")
    assert (found["asked"], found["turns"], found["undrained"]) == (["a", "b"], ["m4/a", "m4/b"], 2)
    assert world.json("wait", "--for", "2", "--timeout", "15")["ready"]
    found = world.json("say", "-", "--to", "b", stdin="Only you, b.\n")
    assert (found["asked"], found["turns"]) == (["b"], ["m7/b"])
    world.answered(table)
    assert [m["from"] for m in world.record(table, "reply")][-1] == "participant/b"
    done = world.run("say", "Once more?", "--to", "a")
    assert "undrained" in done.stderr


def test_a_note_asks_nobody(world: World, table: str) -> None:
    """S4.13: a note is stored and opens no turn; `--as user` are the person's own words; a key posts once."""
    note = world.json("say", "FYI", "--note", "--as", "user", "--key", "k1")
    assert (note["asked"], note["turns"], note["duplicate"]) == ([], [], False)
    again = world.json("say", "FYI", "--note", "--as", "user", "--key", "k1")
    assert (again["seq"], again["duplicate"]) == (note["seq"], True)
    assert world.refused("say", "Other", "--note", "--as", "user", "--key", "k1") == "idempotency_conflict"
    stored = world.record(table)[-1]
    assert (stored["from"], stored["kind"], stored["body"]) == ("user", "note", "FYI")
    assert len(world.turns(table)) == 2


def test_the_same_key_asks_once(world: World, table: str) -> None:
    """A question with a key is asked once, however often it is said; the answer names the first turns."""
    first = world.json("say", "Cost?", "--key", "k")
    second = world.json("say", "Cost?", "--key", "k")
    assert (second["seq"], second["turns"], second["duplicate"]) == (first["seq"], first["turns"], True)
    world.answered(table)
    assert len(world.turns(table)) == 4


def test_round_robin(world: World) -> None:
    """S4.14: one after the other in the given order, each seeing what came before; wait --for all waits for the last."""
    seen = world.program("seen", f'tee -a "$RT_HOME/$RT_SEAT.prompt" >/dev/null </dev/stdin; {ECHO}')
    world.program("seen", f'cat > "$RT_HOME/$RT_SEAT.prompt"; {ECHO} </dev/null')
    table = world.start(*(word for slug in "abc" for word in ("--seat", f"{slug}={seen}")))
    world.answered(table)
    found = world.json("say", "In turn?", "--round-robin", "--to", "c,a,b", "--as", "user")
    assert found["asked"] == ["c"]
    assert world.json("wait", "--for", "all", "--timeout", "20")["ready"]
    after = world.record(table)[4:]
    assert [(m["kind"], m["from"]) for m in after] == [
        ("intent", "user"), ("reply", "participant/c"),
        ("intent", "user"), ("reply", "participant/a"),
        ("intent", "user"), ("reply", "participant/b"),
    ]  # fmt: skip
    prompts = {slug: (world.base / "h" / f"{slug}.prompt").read_text() for slug in "abc"}
    last = after[-1]["seq"]
    assert f"m{last - 4} · participant/c" in prompts["b"]
    assert f"m{last - 2} · participant/a" in prompts["b"]
    assert f"m{last}" not in prompts["b"]
    assert "participant/a · reply · round 1" in prompts["c"]


def test_synthesis(world: World, table: str) -> None:
    """S4.19, S4.20: a synthesis of what exists is posted and raises the round; the stop condition is shown with it."""
    assert world.refused("synthesis", "-m", "As m9 said.") == "unknown_citation"
    assert world.refused("synthesis", "-m", "  ") == "empty_body"
    assert len(world.record(table)) == 3
    found = world.json("synthesis", "--file", "-", "--key", "k", stdin="As m2 and m3 say.\n")
    assert (found["seq"], found["round"], found["citations"], found["stop_condition"]) == (
        4,
        2,
        [2, 3],
        "we agree",
    )
    again = world.json("synthesis", "-m", "As m2 and m3 say.\n", "--key", "k")
    assert (again["seq"], again["round"], again["duplicate"]) == (4, 2, True)
    out = world.text("synthesis", "-m", "m4 stands.")
    assert "round 3" in out
    assert "stop when: we agree" in out
    world.json("say", "Next?", "--to", "a")
    world.answered(table)
    assert world.record(table, "reply")[-1]["round"] in (3, "3")
    assert "m4 stands." in (world.base / "h" / "tables" / table / "transcript.md").read_text()


def test_what_cannot_be_said(world: World, table: str) -> None:
    """Empty and oversized bodies, unknown seats and people are refused, and nothing is stored."""
    big = "x" * (2 * 1024 * 1024)
    for error, args, stdin in (
        ("empty_body", ("say", "-"), ""),
        ("empty_body", ("say", " \n"), None),
        ("empty_body", ("say", "-", "--note"), " "),
        ("body_too_large", ("say", "-"), big),
        ("body_too_large", ("say", "-", "--note"), big),
        ("body_too_large", ("synthesis", "--file", "-"), big),
        ("unknown_seat", ("say", "x", "--to", "a,nobody"), None),
        ("unknown_seat", ("say", "x", "--to", ".."), None),
        ("unknown_table", ("say", "x", "-t", "rt-nothing"), None),
        ("unknown_person", ("drain", "--as", "nobody"), None),
        ("unknown_person", ("post", "-m", "x", "--as", "nobody"), None),
    ):
        assert world.refused(*args, stdin=stdin) == error, args
    assert world.refused("say", "x", "--as", "nobody", exit_code=2) == "usage"
    assert world.refused("wait", "--for", "everything", exit_code=2) == "bad_config"
    assert len(world.record(table)) == 3
    assert len(world.turns(table)) == 2


def test_bytes_and_control_characters(world: World, table: str) -> None:
    """Control characters and bytes that are no UTF-8 come back whole in JSON, and reach no terminal."""
    raw = b"bell \x07 \x1b[2J\x1b]0;title\x07 \xff\xfe \x9b31m end \xe2\x80\xae"
    world.json("say", "-", "--note", "--as", "user", stdin=raw)
    done = world.run("drain", "--json")
    (body,) = [m["body"] for m in json.loads(done.stdout)["messages"] if m["kind"] == "note"]
    assert body.encode("utf-8", "surrogateescape") == raw
    text = world.text("show", "m4")
    assert "end" in text
    assert not set(text) & {"\x07", "\x1b", "\x9b", "\u202e"}


def test_two_tables_and_none_named(world: World, table: str) -> None:
    """With two open tables a command that names none lists both and does nothing; RT_TABLE decides."""
    other = world.start("--seat", "a=rehearsal", topic="Another")
    done = world.run("say", "x")
    assert done.returncode == 2
    assert table in done.stderr
    assert other in done.stderr
    assert world.refused("drain", exit_code=2) == "ambiguous_table"
    found = world.json("say", "x", "--note", env={"RT_TABLE": other})
    assert found["table"] == other

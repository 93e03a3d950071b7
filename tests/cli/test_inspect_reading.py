"""drain, show, search and transcript as a person or a script runs them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import access, tables, turns
from tests.cli.laid import TABLE, Laid
from tests.helpers import BIN, Bus, rt

NASTY = "## Position\n\nRed \x1b[31malert\x07 caf\udcc3 é\n"


@pytest.fixture(name="laid")
def table_with_answers(bus: Bus) -> Laid:
    """m1 asks three seats; builder and skeptic have answered, systems has not."""
    laid = Laid(bus, "builder", "skeptic", "systems", goal="a decision")
    step = laid.ask("Which cache?", "builder", "skeptic", "systems")
    laid.reply(f"{step}/builder", "## Position\n\nNone this quarter.\n\n## Reasons\n\nMarch.")
    laid.reply(f"{step}/skeptic", NASTY + "\n## Challenge\n\n- when to start (m2)\n")
    return laid


def read_json(*args: str, **how: Any) -> Any:
    """The one object that a command prints; it must succeed."""
    done = rt(*args, "--json", **how)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The error_code of the last line on stderr."""
    found = json.loads(done.stderr.splitlines()[-1])
    assert set(found) == {"error_code", "message", "hint"}
    assert done.stdout == ""
    return str(found["error_code"])


def test_drain_shows_points_marks_them_read_and_then_says_so(laid: Laid) -> None:
    """S4.18, S4.19: first the points with their numbers, next time that nothing is new and who still answers."""
    first = rt("drain", env={"LC_ALL": "C", "NO_COLOR": "1"})
    assert first.returncode == 0
    lines = first.stdout.splitlines()
    assert lines[0].startswith("Round 1, 2 of 3 answered (m2–m3), ")
    assert lines[2:4] == ["  builder  m2  None this quarter.", "  skeptic  m3  Red [31malert caf\ufffd é"]
    assert "  They part on: when to start (m2, m3)" in lines
    assert "  systems is still answering: rt wait && rt drain" in lines
    assert "\x1b" not in first.stdout
    assert laid.unread() == 0
    again = rt("drain")
    assert again.returncode == 0
    assert re.fullmatch(
        r"nothing new since m3 \(read \d+ s ago\)\. systems is still answering\.\n", again.stdout
    )


def test_drain_json_is_exact_and_peek_marks_nothing(laid: Laid) -> None:
    """The contract's keys, bodies byte for byte, what is left; a peek can be repeated."""
    found = read_json("drain", "--peek", "--max", "1")
    assert set(found) == {"table", "messages", "unread_left"}
    assert (found["table"], found["unread_left"]) == (TABLE, 1)
    (message,) = found["messages"]
    assert set(message) == {
        "seq", "id", "from", "kind", "round", "turn", "subject", "body", "sent_at", "citations",
    }  # fmt: skip
    assert (message["id"], message["from"], message["turn"]) == (
        f"{TABLE}/m2",
        "participant/builder",
        "m1/builder",
    )
    assert laid.unread() == 2
    assert read_json("drain")["messages"][1]["body"].startswith(NASTY)
    assert laid.unread() == 0


def shell(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell line."""
    argv = ["/bin/sh", "-c", line]
    return subprocess.run(argv, capture_output=True, check=False, timeout=30, env={**os.environ, **env})


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_reader_that_went_away_has_read_nothing(laid: Laid, extra: list[str]) -> None:
    """DESIGN §4: a closed pipe marks nothing, so the next drain shows it all again."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [BIN / "rt", "drain", *extra], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=30
    )
    os.close(writing)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert laid.unread() == 2


def test_a_reader_that_leaves_in_the_middle_has_read_nothing(laid: Laid) -> None:
    """Output larger than a pipe, of which somebody reads the beginning, counts as not shown; a closed stdout too."""
    laid.reply("m1/systems", "line\n" * 40_000)
    whole = f'"{BIN}/rt" drain --full --max-chars 0'
    for unbuffered in ("", "1"):  # then Python's own write takes a part of it and raises nothing
        shown = shell(f"{whole} | head -c1", PYTHONUNBUFFERED=unbuffered)
        assert shown.stdout == b"m"
        assert laid.unread() == 3
    assert shell(f"{whole} >&-").returncode == 1
    assert laid.unread() == 3


def test_full_messages_are_cut_with_a_way_to_go_on(laid: Laid) -> None:
    """The bound of characters holds; `show --from` has the rest."""
    laid.reply("m1/systems", "x" * 30_000 + "END")
    done = rt("drain", "--full", "--max-chars", "100")
    assert "cut; the rest: rt show" not in done.stdout  # the first fits, and the next would not
    assert "more unread: rt drain --full" in done.stdout
    shown = rt("show", "m4")
    assert shown.stdout.rstrip().endswith("… cut; the rest: rt show m4 --from 24000")
    rest = rt("show", "m4", "--from", "24000")
    assert rest.stdout.splitlines()[1] == "x" * 6000 + "END"


def test_anybody_may_drain_for_a_person_of_the_group(laid: Laid) -> None:
    """`--as` reads with that person's cursor: the user has not read the question either."""
    done = rt("drain", "--as", "user")
    assert "  moderator  m1  asks: Which cache?" in done.stdout.splitlines()
    assert (laid.unread("user"), laid.unread()) == (0, 2)
    assert error_of(rt("drain", "--as", "nobody", "--json")) == "unknown_person"


def test_show_prints_messages_as_they_were_written(laid: Laid) -> None:
    """S4.19: raw on request; several at once, by number or id; text without control characters, JSON byte for byte."""
    done = rt("show", "m2", f"{TABLE}/m3")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "m2 · builder · reply · round 1"
    assert "## Reasons\n\nMarch." in done.stdout
    assert "\x1b" not in done.stdout
    found = read_json("show", "3")
    assert found["table"] == TABLE
    assert [message["body"][: len(NASTY)] for message in found["messages"]] == [NASTY]
    assert error_of(rt("show", "m2", "m99", "--json")) == "unknown_message"


def test_show_prints_a_turn_with_its_exact_prompts(laid: Laid) -> None:
    """S2.24: request, attempts and outcome, and with --prompt what each attempt was asked."""
    place = ["seat", "systems", "turn", "m1/systems", "attempt", "1"]
    laid.door.script("record_event", TABLE, "", "prompt", *place, "prompt", "You are systems.\nAnswer.")
    turns.attempt_failed(laid.door, TABLE, "systems", "m1/systems", 1, "crash", detail="exit 3")
    done = rt("show", "m1/systems", "--prompt")
    assert done.stdout.splitlines()[0] == "m1/systems · round 1 · open"
    assert "attempt 1  failed  crash: exit 3" in done.stdout
    assert "You are systems.\nAnswer." in done.stdout
    found = read_json("show", "m1/skeptic")
    assert set(found) == {
        "table", "turn", "seat", "round", "state", "reason", "request", "reply", "late", "attempts",
    }  # fmt: skip
    assert (found["state"], found["reply"], found["request"]) == ("answered", f"{TABLE}/m3", "Which cache?")
    assert [set(one) for one in found["attempts"]] == [{"attempt", "outcome", "reason", "detail", "seconds"}]
    assert error_of(rt("show", "m9/systems", "--json")) == "unknown_turn"


def test_show_in_a_seat_ends_at_its_open_turn(laid: Laid, bus: Bus, rt_home: Path) -> None:
    """DESIGN §5: blind until it has answered; no turn of anybody, no other table, and no drain at all."""
    path = rt_home / "token"
    access.write_seat_file(str(path), "secret", bus.url)
    token_sha = hashlib.sha1(b"secret", usedforsecurity=False).hexdigest()
    tables.set_seat(laid.door, TABLE, "systems", {"token_sha": token_sha})
    seat = {"RT_TABLE": TABLE, "RT_SEAT": "systems", "RT_TOKEN_FILE": str(path)}
    assert "Which cache?" in rt("show", "m1", env=seat).stdout
    assert error_of(rt("show", "m2", "--json", env=seat)) == "unknown_message"
    assert error_of(rt("show", "m1/systems", "--json", env=seat)) == "not_in_a_seat"
    assert error_of(rt("show", "rt-other/m1", "--json", env=seat)) == "bad_message_id"
    assert error_of(rt("drain", "--json", env=seat)) == "not_in_a_seat"


def test_search_finds_words_whatever_their_case(laid: Laid) -> None:
    """Numbers with one line each, in text and JSON."""
    assert rt("search", "THIS QUARTER").stdout.splitlines() == [
        "m2  builder  ## Position None this quarter. ## Reasons March."
    ]
    found = read_json("search", "position")
    assert set(found) == {"table", "text", "matches"}
    assert [match["seq"] for match in found["matches"]] == [2, 3]
    assert set(found["matches"][0]) == {"seq", "id", "from", "kind", "round", "turn", "line"}


def test_the_transcript_of_an_ended_table_is_readable(laid: Laid) -> None:
    """S1.25: as a document and as JSON, archived too; nothing is marked read."""
    laid.mark("archived")
    done = rt("transcript", "-t", TABLE)
    assert done.returncode == 0
    assert done.stdout.startswith("# Roundtable: Which cache?\n")
    assert "### builder, Builder (m2)\n\n> ## Position\n" in done.stdout
    assert "\x1b" not in done.stdout
    found = read_json("transcript", "--format", "json", "-t", TABLE)
    assert set(found) == {"table", "topic", "messages"}
    assert [message["seq"] for message in found["messages"]] == [1, 2, 3]
    assert found["messages"][2]["body"].startswith(NASTY)
    assert laid.unread() == 2

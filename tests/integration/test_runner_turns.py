"""A seat's runner takes turns: it leases, asks its CLI, and answers."""

from __future__ import annotations

from pathlib import Path

from rt_mailbox import tables
from tests.helpers import eventually
from tests.integration.conftest import Seated
from tests.integration.seats import TABLE, pick, script, spec


def test_a_seat_answers_two_rounds_and_leaves_when_it_is_dropped(seated: Seated, tmp_path: Path) -> None:
    """S1.11, S1.12: each round is answered once, the second knows the first, and the control mail is settled."""
    table = seated({"skeptic": spec(), "builder": spec()})
    table.ask("Which cache fits?", "skeptic", "builder")
    with table.runner("skeptic") as runner, table.runner("builder"):
        table.replies(2)
        tables.conclude(table.door, TABLE, table.group, "A first synthesis.")
        step = table.ask("And what would change your mind?", "skeptic")
        third = table.replies(3)[-1]
        assert third["turn"] == f"{step}/skeptic"
        assert third["subject"] == f"roundtable: {TABLE} r2 participant/skeptic"
        assert third["body"].startswith("## Position")
        assert "rehearsal" in third["body"]
        prompts = [e for e in table.events("prompt") if e["seat"] == "skeptic"]
        assert "Which cache fits?" not in prompts[0]["prompt"].partition("The moderator asks")[0]
        assert "Which cache fits?" in prompts[1]["prompt"]
        assert "A first synthesis." in prompts[1]["prompt"]
        assert table.usage("skeptic", 2)["calls"] == 2
        mail = table.turn(third["turn"])["mail"]
        assert table.door.command("HGET", f"rt:{{{TABLE}}}:mail:{mail}", "state") == "acked"
        tables.drop_seat(table.door, TABLE, "skeptic", "by hand", "dropped")
        assert runner.wait(10) == 0
    assert "answered m" in table.log("skeptic")


def test_an_idle_seat_says_so_and_leaves_when_the_table_is_put_away(seated: Seated, tmp_path: Path) -> None:
    """A runner exits 0 on its own when there is nothing left to do."""
    table = seated({"a": spec()})
    with table.runner("a") as runner:
        table.event("ready")
        assert table.seat("a")["state"] == "idle"
        tables.set_table(table.door, TABLE, {"state": "archived"}, event="archived")
        assert runner.wait(10) == 0


def test_a_runner_leaves_when_another_took_its_seat(seated: Seated, tmp_path: Path) -> None:
    """Two runners never work on one seat for long: the older one sees the new generation and goes."""
    table = seated({"a": spec()})
    with table.runner("a") as runner:
        table.event("ready")
        tables.set_seat(table.door, TABLE, "a", {"generation": "2"}, event="restarted")
        assert runner.wait(10) == 0
    assert "another runner" in table.log("a")


def test_a_failing_cli_is_a_strike_and_the_next_attempt_answers(seated: Seated, tmp_path: Path) -> None:
    """An attempt that fails names exit status and reason; nothing is tried again until the ladder says so."""
    body = (
        "import sys, pathlib\n"
        "flag = pathlib.Path(__file__).with_suffix('.flag')\n"
        "if not flag.exists():\n"
        "    flag.touch(); print('quota exceeded', file=sys.stderr); sys.exit(3)\n"
        "print('## Position\\nyes, second time')\n"
    )
    table = seated({"a": spec(script(tmp_path, "flaky", body))})
    step = table.ask("Go?", "a")
    with table.runner("a"):
        failed = table.event("failed")
        assert failed["reason"] == "exit 3: quota exceeded"
        assert failed["strike"] == "1"
        assert table.turn(f"{step}/a")["state"] == "open"
        table.next_attempt(f"{step}/a")
        assert table.replies()[0]["body"] == "## Position\nyes, second time"
    assert table.turn(f"{step}/a")["answered_by"] == "2"
    assert len(table.events("prompt")) == 2


def test_an_unusable_reply_fails_the_attempt_and_stays_out_of_the_record(
    seated: Seated, tmp_path: Path
) -> None:
    """S1.15: another seat's voice is kept in the events only."""
    argv = script(tmp_path, "voice", "print('**Builder:** I am somebody else.')")
    table = seated({"a": spec(argv), "builder": spec()})
    table.ask("Go?", "a")
    with table.runner("a"):
        assert table.event("failed")["reason"] == "unusable: it speaks as builder"
        assert "somebody else" in table.event("unusable")["text"]
    assert [m["kind"] for m in table.messages()] == ["intent"]


def test_an_echo_of_the_prompt_is_no_reply(seated: Seated, tmp_path: Path) -> None:
    """A CLI that prints its prompt back has not answered."""
    table = seated({"a": spec(["cat"])})
    table.ask("Go?", "a")
    with table.runner("a"):
        assert table.event("failed")["reason"] == "unusable: an echo of the prompt"


def test_envelope_lines_and_terminal_sequences_never_reach_the_record(seated: Seated, tmp_path: Path) -> None:
    """S4.22, S1.13: the body starts at the answer, as plain text."""
    body = (
        "print('From: a\\nSubject: b\\n\\n\\x1b[1m## Position\\x1b[0m\\nyes \\x1b]0;title\\x07\\r\\nand no')"
    )
    table = seated({"a": spec(script(tmp_path, "loud", body))})
    table.ask("Go?", "a")
    with table.runner("a"):
        assert table.replies()[0]["body"] == "## Position\nyes \nand no"


def test_a_missing_cli_and_a_missing_folder_are_named(seated: Seated, tmp_path: Path) -> None:
    """What is missing is named, with its fix where there is one."""
    seats = {
        "a": spec(["no-such-agent"], install="pip install no-such-agent"),
        "b": spec(["cat"]) | {"cwd": str(tmp_path / "gone")},
    }
    table = seated(seats)
    table.ask("Go?", "a", "b")
    with table.runner("a"), table.runner("b"):
        table.event("failed", 2)
    reasons = {e["seat"]: e["reason"] for e in table.events("failed")}
    assert reasons["a"] == "no-such-agent is not installed: pip install no-such-agent"
    assert reasons["b"] == f"the folder {tmp_path / 'gone'} does not exist"


NATIVE = """\
import json, pathlib, sys
home = pathlib.Path(__file__).parent
how, session = sys.argv[1:3]
prompt = sys.stdin.read()
file = home / session
if (home / "broken").exists():
    print(json.dumps({"a": prompt})); sys.exit()
if how == "resume" and not file.exists():
    print("no such session", file=sys.stderr); sys.exit(1)
before = file.read_text() if how == "resume" else ""
file.write_text(before + prompt)
(home / "calls").open("a").write(how + " " + session + "\\n")
print(json.dumps({"a": "## Position\\nyes to " + str(len(before)), "s": session, "m": "stub-1", "in": 7, "usd": 0.5}))
"""


def native(tmp_path: Path) -> dict[str, object]:
    """The spec of a CLI with sessions of its own, whose ids can be set."""
    argv = script(tmp_path, "native", NATIVE)
    output = spec()["output"] | {
        "format": "json",
        "answer": [pick("a")],
        "session": [pick("s")],
        "model": [pick("m")],
        "cost": [pick("usd")],
        "usage": {"input": pick("in")},
    }
    calls = {
        "start": [*argv, "start", "{session}"],
        "resume": [*argv, "resume", "{session}"],
        "session": "set",
    }
    return spec(argv) | calls | {"output": output}


def test_the_second_turn_resumes_the_same_session_with_only_what_is_new(
    seated: Seated, tmp_path: Path
) -> None:
    """S1.11: the session is on the bus before the CLI starts, and the second prompt holds no message twice."""
    table = seated({"a": native(tmp_path), "b": spec()})
    table.ask("First question?", "a", "b")
    with table.runner("a"), table.runner("b"):
        table.replies(2)
        table.ask("Second question?", "a")
        table.replies(3)
        assert table.usage("a", 2) == {"calls": 2, "input": 14, "cost_usd": 1.0}
        assert [table.spent(turn) for turn in ("m1/a", "m4/a")] == [
            {"calls": 1, "input": 7, "cost_usd": 0.5}
        ] * 2
    first, second = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
    assert (first[0], second[0]) == ("start", "resume")
    assert first[1] == second[1] == table.seat("a")["native_session"]
    prompts = [e["prompt"] for e in table.events("prompt") if e["seat"] == "a"]
    assert "participant/b" in prompts[1]
    assert "m1 · moderator" not in prompts[1]
    assert "yes to 0" not in prompts[1]
    assert table.seat("a")["effective_model"] == "stub-1"


def test_a_lost_session_does_not_lose_the_turn(seated: Seated, tmp_path: Path) -> None:
    """S1.24: when the resume fails, a fresh session gets the whole record within the same attempt."""
    table = seated({"a": native(tmp_path)})
    table.ask("First question?", "a")
    with table.runner("a"):
        table.usage("a", 1)
        (tmp_path / table.seat("a")["native_session"]).unlink()
        step = table.ask("Second question?", "a")
        table.replies(2)
    assert table.event("resume_failed")["reason"] == "exit 1: no such session"
    assert table.turn(f"{step}/a")["answered_by"] == "1"
    assert not table.events("failed")
    last = table.events("prompt")[-1]
    assert last["fresh"] == "1"
    assert "First question?" in last["prompt"]


def test_an_attempt_after_a_failure_is_rebuilt_from_the_record(seated: Seated, tmp_path: Path) -> None:
    """The ladder's second rung does not trust the old session."""
    table = seated({"a": native(tmp_path)})
    table.ask("First question?", "a")
    with table.runner("a"):
        table.usage("a", 1)
        (tmp_path / "broken").touch()
        step = table.ask("Second question?", "a")
        assert table.event("failed")["reason"] == "unusable: an echo of the prompt"
        (tmp_path / "broken").unlink()
        table.next_attempt(f"{step}/a")
        table.replies(2)
    last = table.events("prompt")[-1]
    assert (last["attempt"], last["fresh"]) == ("2", "1")
    assert "First question?" in last["prompt"]


def test_formats_that_hide_peers_are_obeyed(seated: Seated, tmp_path: Path) -> None:
    """Where the view is not raw, a prompt quotes intents and own words only."""
    table = seated({"a": spec(), "b": spec()}, view="digest")
    table.ask("First question?", "a", "b")
    with table.runner("a"), table.runner("b"):
        table.replies(2)
        table.ask("Second question?", "a")
        table.replies(3)
    last = table.events("prompt")[-1]["prompt"]
    assert "First question?" in last
    assert "participant/b · reply" not in last
    assert "participant/a · reply" in last


def test_seats_that_are_fresh_every_turn_get_the_same_bytes(seated: Seated, tmp_path: Path) -> None:
    """S3.3, S3.18: a seat marked fresh gets the request alone, in a new session, whatever it was asked before."""
    table = seated({"a": native(tmp_path), "b": native(tmp_path)}, view="agreements")
    for slug in "ab":
        tables.set_seat(table.door, TABLE, slug, {"fresh": "1"})
    table.ask("Say what is asked here, at length.", "a", "b")
    with table.runner("a"), table.runner("b"):
        table.replies(2)
        table.ask("Say once more what is asked here.", "a", "b")
        table.replies(4)
    made = table.events("prompt")
    assert sorted(one["prompt"] for one in made) == sorted(
        ["Say what is asked here, at length.\n", "Say once more what is asked here.\n"] * 2
    )
    assert len({one["session"] for one in made}) == 4
    assert {one["fresh"] for one in made} == {"1"}
    assert "resume" not in (tmp_path / "calls").read_text()


def test_the_control_mail_is_leased_at_once(seated: Seated, tmp_path: Path) -> None:
    """A waiting runner leases within a moment, also on a busy machine; the heavy imports come afterwards."""
    table = seated({"a": spec()})
    with table.runner("a"):
        table.event("ready")
        step = table.ask("Go?", "a")
        turn = f"{step}/a"
        eventually(lambda: "leased_at" in table.turn(turn), what="the lease")
        taken = table.turn(turn)
        assert int(taken["leased_at"]) - int(taken["opened_at"]) < 2000
        table.replies()

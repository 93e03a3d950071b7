"""Whatever dies, and whenever: a turn is answered once, and nothing runs on behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from rt_config import processes
from rt_config.errors import BusDownError
from rt_mailbox import server, tables, turns
from tests.helpers import Bus, eventually
from tests.integration.conftest import Seated
from tests.integration.seats import TABLE, Table, script, spec

SLOW = """\
import os, pathlib, sys, time
here = pathlib.Path(__file__)
(here.parent / f"pid-{os.getpid()}").touch()
sys.stdin.read()
while not (here.parent / "go").exists():
    time.sleep(0.01)
print("## Position\\nyes")
"""


def pids(folder: Path) -> list[int]:
    return [int(path.name[4:]) for path in folder.glob("pid-*")]


def running(folder: Path) -> list[int]:
    return [pid for pid in pids(folder) if processes.start_time(pid) is not None]


def started(table: Table, count: int = 1) -> None:
    eventually(lambda: len(pids(table.folder)) >= count, what=f"{count} calls")


@pytest.fixture
def slow(seated: Seated, tmp_path: Path) -> Table:
    """A table whose seat answers when the file `go` is there."""
    return seated({"a": spec(script(tmp_path, "slow", SLOW))})


def test_a_killed_runner_is_started_again_and_takes_the_same_turn(slow: Table) -> None:
    """Kill -9 of the runner: the CLI it left is ended first, the turn is answered once, and it is no strike."""
    step = slow.ask("Go?", "a")
    with slow.runner("a") as first:
        started(slow)
        first.kill()
        first.wait()
        assert len(running(slow.folder)) == 1
    with slow.runner("a"):
        started(slow, 2)
        assert len(running(slow.folder)) == 1
        (slow.folder / "go").touch()
        assert len(slow.replies()) == 1
    turn = slow.turn(f"{step}/a")
    assert (turn["state"], turn["answered_by"]) == ("answered", "1")
    assert slow.seat("a")["failures"] == "0"
    assert not slow.events("failed")


def test_a_killed_cli_is_one_failed_attempt(slow: Table) -> None:
    """Kill -9 of the CLI: the attempt fails with the signal, and the next one answers."""
    step = slow.ask("Go?", "a")
    with slow.runner("a"):
        started(slow)
        os.kill(pids(slow.folder)[0], signal.SIGKILL)
        assert slow.event("failed")["reason"] == "signal 9"
        slow.next_attempt(f"{step}/a")
        (slow.folder / "go").touch()
        slow.replies()


def test_a_runner_started_again_after_a_failure_waits_for_the_ladder(seated: Seated, tmp_path: Path) -> None:
    """A failed attempt is not made a second time, whoever asks."""
    table = seated({"a": spec(["false"])})
    table.ask("Go?", "a")
    with table.runner("a"):
        table.event("failed")
    with table.runner("a"):
        eventually(
            lambda: "waiting for the next attempt" in table.log("a").rpartition("failed:")[2], what="the wait"
        )
    assert len(table.events("prompt")) == 1


@pytest.mark.parametrize("how", ["cancelled", "answered", "dropped", "attempt", "deadline"])
def test_a_turn_that_is_over_ends_its_call(slow: Table, how: str) -> None:
    """Closed by hand, answered elsewhere, dropped, a newer attempt, past its deadline: the CLI goes."""
    turn = slow.ask("Go?", "a", seconds=1 if how == "deadline" else 60) + "/a"
    with slow.runner("a") as runner:
        started(slow)
        if how == "cancelled":
            turns.close(slow.door, TABLE, turn, "cancelled", "by hand")
        elif how == "answered":
            turns.reply(slow.door, TABLE, "a", "by hand", turn=turn)
        elif how == "dropped":
            tables.drop_seat(slow.door, TABLE, "a", "by hand", "dropped")
            assert runner.wait(10) == 0
        elif how == "attempt":
            turns.attempt_failed(slow.door, TABLE, "a", turn, 1, "by hand")
            slow.next_attempt(turn)
            started(slow, 2)
        elif how == "deadline":
            assert slow.event("failed")["reason"] == "timeout"
        eventually(
            lambda: len(running(slow.folder)) == (1 if how == "attempt" else 0), what="the end of the CLI"
        )
        said = "failed: timeout" if how == "deadline" else "no longer wanted"
        eventually(lambda: said in slow.log("a"), what=f"the line {said!r}")
        if how == "attempt":
            (slow.folder / "go").touch()
            slow.replies()
    assert len(slow.events("failed")) == (1 if how in ("attempt", "deadline") else 0)


def test_a_deadline_that_moves_is_obeyed_while_the_cli_runs(slow: Table) -> None:
    """An extended turn keeps its CLI."""
    turn = slow.ask("Go?", "a", seconds=1) + "/a"
    with slow.runner("a"):
        started(slow)
        turns.extend(slow.door, TABLE, [turn], seconds=60)
        with pytest.raises(AssertionError):
            eventually(lambda: not running(slow.folder), seconds=2.5)
        (slow.folder / "go").touch()
        slow.replies()


def test_a_closed_pane_takes_the_cli_with_it_and_is_no_strike(slow: Table) -> None:
    """SIGHUP, as tmux sends it, ends CLI and runner; the turn stays open for the next runner."""
    step = slow.ask("Go?", "a")
    with slow.runner("a") as runner:
        started(slow)
        runner.send_signal(signal.SIGHUP)
        assert runner.wait(10) == 128 + 15
        assert not running(slow.folder)
    assert slow.turn(f"{step}/a")["state"] == "open"
    assert not slow.events("failed")


def test_the_bus_dies_while_the_cli_works_and_the_answer_still_arrives(slow: Table, bus: Bus) -> None:
    """The answer waits for the bus; nothing is asked twice."""
    slow.ask("Go?", "a")
    with slow.runner("a"):
        started(slow)
        server.stop(bus.settings, 5.0)
        (slow.folder / "go").touch()
        eventually(lambda: "does not answer" in slow.log("a"), what="the line about the bus")
        server.ensure(bus.settings, lambda _line: None)
        with suppress(BusDownError):
            slow.messages()  # this door has noticed nothing yet
        slow.replies()
    assert len(pids(slow.folder)) == 1


def test_a_bus_that_stays_away_ends_the_runner_with_75(slow: Table, bus: Bus) -> None:
    """It leaves in a way that says: start me again when the bus is back."""
    code = "import sys, rt_participant.duty as d, rt_participant.runner as r; d.Duty.__init__.__kwdefaults__['bus_wait_seconds'] = 0.5; sys.exit(r.main())"
    with slow.runner("a", code=code) as runner:
        slow.event("ready")
        server.stop(bus.settings, 5.0)
        assert runner.wait(10) == 75


def test_a_wrong_token_never_works_on_a_seat(slow: Table) -> None:
    """A runner whose token is not the seat's stops with an error instead of speaking for it."""
    slow.ask("Go?", "a")
    (slow.folder / "a.seat").write_text(f"wrong\n{slow.url}\n")
    with slow.runner("a") as runner:
        assert runner.wait(10) == 1
    assert "token" in slow.log("a")


def test_outside_a_seat_it_says_how_it_is_run() -> None:
    """Without a seat in the environment nothing is touched."""
    code = "import sys; from rt_participant.runner import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "RT_SEAT" in done.stderr


def test_a_waiting_runner_has_loaded_nothing_heavy() -> None:
    """redis, pydantic, click, anyio and jinja2 stay out until there is a turn."""
    code = "import sys, rt_participant.runner, rt_mailbox.access; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"redis", "pydantic", "click", "anyio", "jinja2", "psutil", "asyncio"} & set(
        done.stdout.split()
    )

"""One call of a CLI: its bounds in time and memory, and that nothing of it stays behind."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rt_config import processes
from rt_participant import headless, launch, outputs
from rt_participant.results import Result
from tests.helpers import eventually
from tests.integration.seats import pick, script, spec

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
PIDS = "import os, pathlib; pathlib.Path(__file__).with_suffix('.' + str(os.getpid())).touch()\n"


def call(
    folder: Path,
    body: str,
    prompt: str = "hello",
    *,
    poll: Callable[[], float | None] = lambda: 60.0,
    show: Callable[[str], None] = lambda _text: None,
    resume: bool = False,
    **changes: Any,
) -> Result:
    """Run `body` as the CLI of a seat."""
    rules = spec(script(folder, "cli", body), **changes)
    mark = launch.mark_of(str(folder), "t", "a")
    made = launch.prepare(rules, prompt, "", resume=resume, mark=mark, folder=folder)
    return headless.run(rules, made, poll, show)


def all_gone(folder: Path, count: int) -> None:
    """The `count` processes that wrote their pids into `folder` are dead."""
    pids = [int(path.suffix[1:]) for path in folder.glob("cli.*") if path.suffix[1:].isdigit()]
    assert len(pids) >= count
    assert not [pid for pid in pids if processes.start_time(pid) is not None]


def test_a_large_prompt_arrives_byte_for_byte_and_the_answer_comes_back(tmp_path: Path) -> None:
    """Half a megabyte with quotes, dollars, semicolons and emoji passes by standard input, unquoted and unchanged."""
    prompt = '‘q’ "d" $HOME `id` ; rm -rf / 🙂\n' * 15_000
    result = call(tmp_path, "import sys; sys.stdout.write(sys.stdin.read())", prompt)
    assert result.reason == ""
    assert result.answer.text == prompt.strip()
    assert (result.status, result.signal, result.stop) == (0, None, "")


def test_a_cli_that_ignores_its_input_still_answers(tmp_path: Path) -> None:
    """A closed standard input is no failure."""
    result = call(tmp_path, "import os; os.close(0); print('yes')", "x" * 300_000)
    assert result.answer.text == "yes"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import sys; print('out'); print('why', file=sys.stderr); sys.exit(7)", "exit 7: why"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("print('   ')", "no answer"),
        (
            "import sys; print('Please log in', file=sys.stderr); sys.exit(1)",
            "not logged in (Please log in): agent login",
        ),
    ],
)
def test_a_failure_says_why(tmp_path: Path, body: str, reason: str) -> None:
    """S1.13: exit status, signal, silence and a missing login each read differently."""
    assert call(tmp_path, body, auth_failure=["please log in"], login="agent login").reason == reason


def test_a_flood_ends_the_call_and_takes_no_memory(tmp_path: Path) -> None:
    """A CLI that prints without end is a failure; at most a few MiB of it are ever held."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = call(tmp_path, PIDS + "import sys\nwhile True: sys.stdout.write('x' * 100_000)")
    assert result.stop == "flood"
    assert result.reason == "flood: more than 8 MiB of output"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
    all_gone(tmp_path, 1)


def test_of_a_long_event_stream_only_what_counts_is_kept(tmp_path: Path) -> None:
    """Twenty MiB of events that nobody reads do not hide the answer."""
    output = spec()["output"] | {"format": "jsonl", "answer": [pick("a")], "show": [pick("see")]}
    body = (
        "import json\nfor n in range(20): print(json.dumps({'noise': 'x' * 2**20}))\n"
        "print(json.dumps({'see': 'reading'})); print(json.dumps({'a': 'yes'}), end='')"
    )
    shown: list[str] = []
    result = call(tmp_path, body, show=shown.append, output=output)
    assert (result.answer.text, result.reason) == ("yes", "")
    assert "".join(shown) == "reading\n"


def test_of_standard_error_the_end_is_kept(tmp_path: Path) -> None:
    """S1.13: whatever was printed there, its last lines explain the failure."""
    body = "import sys\nfor n in range(200_000): print('noise', n, file=sys.stderr)\nprint('the end', file=sys.stderr); sys.exit(1)"
    result = call(tmp_path, body)
    assert result.reason == "exit 1: the end"
    assert len(result.detail) <= 2000


def test_the_deadline_ends_a_stubborn_cli_and_its_children(tmp_path: Path) -> None:
    """S1.14: SIGTERM, the grace, SIGKILL, also for a child that left its session and ignores signals."""
    child = f"{STUBBORN}{PIDS}time.sleep(60)"
    body = (
        f"{STUBBORN}{PIDS}import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', {child.replace('__file__', repr(str(tmp_path / 'cli.py')))!r}], start_new_session=True)\n"
        "time.sleep(60)"
    )
    ends = time.monotonic() + 0.7
    result = call(tmp_path, body, poll=lambda: ends - time.monotonic())
    assert (result.stop, result.reason, result.signal) == ("timeout", "timeout", 9)
    assert result.seconds < 6
    all_gone(tmp_path, 2)


def test_silence_is_noticed_before_the_deadline(tmp_path: Path) -> None:
    """The inactivity deadline is its own, and starts again with every sign of life."""
    body = "import time\nfor n in range(3): print(n, flush=True); time.sleep(0.2)\ntime.sleep(60)"
    result = call(tmp_path, body, inactivity_seconds=0.4)
    assert (result.stop, result.reason) == ("inactivity", "inactivity: nothing came for 0.4 s")
    assert result.seconds > 0.7


def test_a_call_that_is_not_wanted_any_more_ends_at_once(tmp_path: Path) -> None:
    """A closed turn costs no more model time."""
    answers = iter([60.0])
    result = call(tmp_path, PIDS + "import time; time.sleep(60)", poll=lambda: next(answers, None))
    assert result.stop == "cancelled"
    assert result.seconds < 3
    all_gone(tmp_path, 1)


def test_a_child_left_behind_delays_nothing_and_is_ended(tmp_path: Path) -> None:
    """The answer counts when the CLI exits, though a child of it holds the pipes open."""
    child = f"{PIDS}import time; time.sleep(60)".replace("__file__", repr(str(tmp_path / "cli.py")))
    body = (
        "import subprocess, sys, pathlib, time\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)\n"
        "while not list(pathlib.Path(__file__).parent.glob('cli.[0-9]*')): time.sleep(0.01)\n"
        "print('yes')"
    )
    result = call(tmp_path, body)
    assert (result.answer.text, result.stop) == ("yes", "")
    assert result.seconds < 3
    all_gone(tmp_path, 1)


def test_a_signal_to_the_runner_ends_the_call_first(tmp_path: Path) -> None:
    """A closed pane takes its CLI with it, though that runs in a session of its own."""

    def poll() -> float:
        os.kill(os.getpid(), signal.SIGHUP)
        return 60.0

    result = call(tmp_path, PIDS + "import time; time.sleep(60)", poll=poll)
    assert result.stop == "interrupted"
    eventually(lambda: processes.marked(launch.MARK, launch.mark_of(str(tmp_path), "t", "a")) == [])


def test_the_seat_sees_its_environment_and_placeholders_are_filled_once(tmp_path: Path) -> None:
    """What a value holds is never read as a placeholder, and the prompt can come in an argument or a file."""
    body = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['EXTRA'], os.environ['RT_CALL'], os.getcwd()]))"
    argv = script(tmp_path, "cli", body)
    rules = spec(argv, tmp_path, model="{prompt}", env={"EXTRA": "in {cwd}"}, prompt="file", session="read")
    rules["start"] = [*argv, "--model={model}", "{prompt_file}", "{session}", '{"json": "{other}"}']
    made = launch.prepare(rules, "secret", "s-1", resume=False, mark="m", folder=tmp_path)
    args, extra, mark, cwd = json.loads(
        headless.run(rules, made, lambda: 60.0, lambda _text: None).answer.text
    )
    assert args == ["--model={prompt}", str(tmp_path / "prompt.md"), "s-1", '{"json": "{other}"}']
    assert (extra, mark, cwd) == (f"in {tmp_path}", "m", str(tmp_path))
    assert (tmp_path / "prompt.md").read_text() == "secret"
    with pytest.raises(ValueError, match="argument"):
        launch.prepare(
            rules | {"prompt": "argument"}, "x" * 130_000, "", resume=False, mark="m", folder=tmp_path
        )


def test_the_answer_file_counts_before_what_was_printed(tmp_path: Path) -> None:
    """S3.29: where a CLI writes its last message to a file, that is the answer."""
    argv = script(
        tmp_path,
        "cli",
        "import sys; open(sys.argv[1], 'w').write('from the file'); print('{\"a\": \"printed\"}')",
    )
    output = spec()["output"] | {"format": "jsonl", "answer": [pick("a")], "answer_file": True}
    rules = spec(argv, output=output) | {"start": [*argv, "{out}"]}
    made = launch.prepare(rules, "", "", resume=False, mark="m", folder=tmp_path)
    assert headless.run(rules, made, lambda: 60.0, lambda _text: None).answer.text == "from the file"


def test_the_bound_of_a_collector_holds_for_one_endless_line() -> None:
    """An event without an end is a flood, too."""
    collector = outputs.Collector(spec()["output"] | {"format": "jsonl"}, most_bytes=1000)
    for _ in range(9):
        assert collector.feed(b"{" + b"x" * 100) == ""
    with pytest.raises(OverflowError):
        collector.feed(b"{" + b"x" * 100)

"""The tests' own ground: a private environment, waiting with a deadline, and no process left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from rt_config import env
from tests import leftovers
from tests.helpers import BIN, changed_environment, eventually


def test_environment_is_private(rt_home: Path) -> None:
    """A test sees its own RT_HOME, an empty HOME, our commands first, and nothing of the caller's."""
    assert env.home() == str(rt_home)
    assert Path(env.config_file()).parent == rt_home.parent
    assert list(Path.home().iterdir()) == []
    assert os.environ["PATH"].split(os.pathsep)[0] == str(BIN)
    foreign = [name for name in os.environ if name.startswith(("RT_", "TMUX", "CLAUDE", "CODEX", "XDG_"))]
    assert sorted(foreign) == ["RT_CONFIG", "RT_HOME", "TMUX_TMPDIR"]


def test_sockets_fit(rt_home: Path) -> None:
    """A socket below this RT_HOME has a path that a socket's address can hold."""
    assert env.socket_path("deck", "x" * 20).startswith(str(rt_home))


def test_tests_see_the_tools_they_need() -> None:
    """Programs such as git and tmux are found on the narrowed PATH."""
    assert shutil.which("git")
    assert shutil.which("tmux")


def test_eventually_returns_what_the_check_found() -> None:
    """The first true answer is returned; plain asserts inside count as not yet."""
    answers = iter([0, None, "", "there"])

    def check() -> str:
        answer = next(answers)
        assert answer is not None
        return answer if isinstance(answer, str) else ""

    assert eventually(check, seconds=5, what="an answer") == "there"


def test_eventually_gives_up_at_its_deadline() -> None:
    """The error names what was waited for and the last answer."""
    with pytest.raises(AssertionError, match=r"the bell: not within 0\.05 s \(last: \[\]\)"):
        eventually(list, seconds=0.05, what="the bell")


def test_a_process_left_behind_is_ended_and_named(rt_home: Path) -> None:
    """A detached process is found by its environment, or by its command line when the environment is gone."""
    program = "import sys; print('up', flush=True); sys.stdin.read()"
    before = set(psutil.pids())
    with (
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as by_environment,
        subprocess.Popen(
            [sys.executable, "-c", program, rt_home / "s"],
            env=changed_environment({"RT_HOME": None}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as by_command_line,
    ):
        both = {by_environment.pid, by_command_line.pid}
        assert {process.pid for process in leftovers.of_test(rt_home.parent, before)} == both
        named = leftovers.end(rt_home.parent, before, grace=0.05)
        assert {int(line.split()[0]) for line in named} == both
        assert leftovers.of_test(rt_home.parent, before) == []

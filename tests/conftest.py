"""Every test runs in a world of its own: private RT_HOME, HOME, PATH and tmux, and leaves no process behind."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests import leftovers
from tests.helpers import BIN, Bus

_FOREIGN_PREFIXES = ("RT_", "TMUX", "CLAUDE", "CODEX", "XDG_")
_FOREIGN_NAMES = frozenset({"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PAGER", "EDITOR", "VISUAL"})
_SYSTEM_PATH = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
_ROOM_FOR_SOCKETS = 40  # bytes: `<base>/rt-xxxxxxxx/redis/s` and tmux's names stay below 100


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs that tests may use and that this machine keeps elsewhere than in /usr/bin."""
    folder = tmp_path_factory.mktemp("tools")
    for name in ("tmux", "git", "bash"):
        found = shutil.which(name)
        if found and str(Path(found).parent) not in _SYSTEM_PATH:
            (folder / name).symlink_to(found)
    return folder


@pytest.fixture(autouse=True)
def rt_home(request: pytest.FixtureRequest, tools: Path) -> Iterator[Path]:
    """The test's own RT_HOME, short enough for sockets; afterwards no process of this test may be alive.

    The environment holds no variable of roundtable, tmux or an agent CLI, HOME is empty, and PATH ends at the system's
    own programs, so that no installed agent is found. Tests marked `agents` keep HOME, PATH and the agents' variables.
    """
    real_agents = request.node.get_closest_marker("agents") is not None
    before = set(psutil.pids())
    base = Path(tempfile.mkdtemp(prefix="rt-", dir=_short_tmp()))
    home = base / "h"
    with pytest.MonkeyPatch.context() as patch:
        _clean_environment(patch, keep_agents=real_agents)
        _private_environment(patch, base)
        if not real_agents:
            (base / "user").mkdir()
            patch.setenv("HOME", str(base / "user"))
            patch.setenv("PATH", os.pathsep.join([str(BIN), str(tools), *_SYSTEM_PATH]))
        try:
            yield home
        finally:
            left = leftovers.end(base, before)
            touched_tmux = list(base.glob("tmux-*/default"))
            shutil.rmtree(base, ignore_errors=True)
    wrong = [f"left running (killed now): {name}" for name in left]
    if touched_tmux:
        wrong.append("tmux was called without a socket: that is the user's own server; name one with -S")
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


@pytest.fixture
def bus(rt_home: Path) -> Iterator[Bus]:
    """A running embedded server in `rt_home`, stopped afterwards."""
    from rt_config import settings as configuration
    from rt_mailbox import server

    settings = configuration.load(rt_home.parent)
    url = server.ensure(settings, lambda _line: None)
    try:
        yield Bus(settings, url)
    finally:
        server.stop(settings, 5.0)


def _short_tmp() -> str:
    base = tempfile.gettempdir()
    return base if len(os.fsencode(base)) <= _ROOM_FOR_SOCKETS else "/tmp"


def _clean_environment(patch: pytest.MonkeyPatch, *, keep_agents: bool) -> None:
    for name in list(os.environ):
        of_an_agent = name.startswith(("CLAUDE", "CODEX", "XDG_")) or name.endswith("_API_KEY")
        foreign = name.startswith(_FOREIGN_PREFIXES) or name in _FOREIGN_NAMES or name.endswith("_API_KEY")
        if foreign and not (keep_agents and of_an_agent):
            patch.delenv(name)
    patch.delenv("CLAUDECODE", raising=False)  # an agent started from an agent refuses or behaves differently


def _private_environment(patch: pytest.MonkeyPatch, base: Path) -> None:
    patch.setenv("RT_HOME", str(base / "h"))
    patch.setenv("RT_CONFIG", str(base / "config.toml"))
    patch.setenv("TMUX_TMPDIR", str(base))  # a call without a socket name must not reach the user's server
    patch.setenv("LC_ALL", "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8")
    patch.setenv("PATH", os.pathsep.join([str(BIN), os.environ.get("PATH", os.defpath)]))

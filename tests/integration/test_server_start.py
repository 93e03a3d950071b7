"""The embedded server starts once, by itself, detached, and only where it may."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from rt_config.errors import BusDownError, NoServerError, UsageError
from rt_config.settings import Settings
from rt_mailbox import server, server_files, server_status
from tests.helpers import eventually
from tests.integration.server_fixtures import (
    ask,
    embedded_settings,  # noqa: F401 (fixtures)
    program,
    real_program,
    running_servers,
    silent,
    the_pid,
)

_STARTER = """
import sys
from pathlib import Path
from rt_config.settings import Settings
from rt_mailbox import server
print("ready", flush=True)
sys.stdin.readline()
programs = [Path(name) for name in sys.argv[1:]] or None
server.ensure(Settings(min_free_bytes=0), print, programs)
"""


def _starter(*programs: Path) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", _STARTER, *map(str, programs)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_racing_starters_start_one_server(embedded: Settings) -> None:
    """S4: eight processes that want the bus at the same moment get one server, and all succeed."""
    starters = [_starter() for _ in range(8)]
    for starter in starters:
        assert starter.stdout
        assert starter.stdout.readline() == "ready\n"
    for starter in starters:
        assert starter.stdin
        starter.stdin.write("go\n")
        starter.stdin.flush()
    for starter in starters:
        starter.communicate(timeout=30)
    assert [starter.returncode for starter in starters] == [0] * 8
    assert the_pid()
    log = server_files.here().log.read_text()
    assert log.count("Configuration loaded") == 1


def test_a_starter_killed_in_the_middle_leaves_a_server_that_is_found(
    embedded: Settings, tmp_path: Path
) -> None:
    """The lock belongs to the server's process, so a starter's death at the worst moment makes no second server."""
    real, spawned = real_program(), tmp_path / "pid"
    script = (
        f'case $1 in --version) exec "{real}" --version;; esac\n'
        f'echo $$ >"{spawned}"; kill -9 $PPID; sleep 0.3; exec "{real}" "$@"'
    )
    starter = _starter(program(tmp_path / "valkey-server", script))
    starter.communicate("go\n", timeout=30)
    assert starter.returncode == -9
    server.ensure(embedded, silent)
    eventually(lambda: not psutil.pid_exists(int(spawned.read_text())), what="the first start's end")
    assert the_pid()
    assert server_files.here().log.read_text().count("Configuration loaded") == 1
    assert server.stop(embedded) is True
    assert running_servers() == []


def test_the_server_is_detached_and_knows_no_secrets(
    embedded: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a session of its own, child of nobody here, and inherits neither input, output nor the environment."""
    monkeypatch.setenv("SOME_API_KEY", "secret-value")
    seen = tmp_path / "environment"
    server.ensure(
        embedded, silent, [program(tmp_path / "server", f'env >"{seen}"; exec "{real_program()}" "$@"')]
    )
    assert "secret-value" not in seen.read_text()
    process = psutil.Process(the_pid())
    assert os.getsid(process.pid) == process.pid
    assert process.ppid() != os.getpid()
    if sys.platform.startswith("linux"):
        assert {str(Path(f"/proc/{process.pid}/fd/{n}").readlink()) for n in range(3)} == {"/dev/null"}


def test_what_is_started_keeps_what_it_is_told(embedded: Settings) -> None:
    """The status shows an append-only file synced at each write, and says what that means."""
    server.ensure(embedded, silent)
    found = server_status.status(embedded)
    assert (found.running, found.pid, found.kind) == (True, the_pid(), "valkey")
    assert (found.aof_enabled, found.appendfsync, found.aof_last_write_status) == (True, "always", "ok")
    assert 0 < found.maxmemory <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    assert found.free_bytes > 0
    assert "nothing that was acknowledged" in found.durability
    assert ask("CONFIG", "GET", "maxmemory-policy")[1] == "noeviction"


def test_a_running_server_costs_less_than_two_milliseconds(embedded: Settings) -> None:
    """Every operator's command asks, so asking is nearly free."""
    server.ensure(embedded, silent)
    took = []
    for _ in range(20):
        before = time.perf_counter()
        server.ensure(embedded, silent)
        took.append(time.perf_counter() - before)
    assert min(took) < 0.002


def test_a_home_with_spaces_and_quotes_works(
    embedded: Settings, rt_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path is data: whatever it holds, it reaches the server as one path."""
    monkeypatch.setenv("RT_HOME", str(rt_home / 'a b "c" %20#é'))
    server.ensure(embedded, silent)
    assert ask("SET", "k", "v") == "OK"
    assert (rt_home / 'a b "c" %20#é' / "redis" / "s").is_socket()
    assert server.stop(embedded) is True


def test_a_long_home_has_its_socket_in_a_short_private_folder(
    embedded: Settings, rt_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket's address is short; the data stay in the home, and the temporary folder goes with the server."""
    monkeypatch.setenv("RT_HOME", str(rt_home / ("deep" * 30)))
    server.ensure(embedded, silent)
    place = server_files.here()
    assert len(os.fsencode(place.socket)) <= 100
    assert place.socket.parent.stat().st_mode & 0o777 == 0o700
    assert (place.folder / "appendonlydir").exists() or (place.folder / "appendonly.aof").exists()
    server.stop(embedded)
    assert not place.socket.parent.exists()


def test_a_folder_that_others_may_enter_is_closed(embedded: Settings, rt_home: Path) -> None:
    """The folder is 0700 before the server is in it."""
    (rt_home / "redis").mkdir(parents=True)
    (rt_home / "redis").chmod(0o777)
    server.ensure(embedded, silent)
    assert (rt_home / "redis").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_refused(embedded: Settings, rt_home: Path) -> None:
    """A squatter's folder is not used, and the error names it."""
    (rt_home / "redis").mkdir(parents=True)
    os.chown(rt_home / "redis", 12345, 12345)
    with pytest.raises(BusDownError, match="not a folder of this user"):
        server.ensure(embedded, silent)
    assert running_servers() == []


def test_the_next_program_serves_when_the_first_does_not(embedded: Settings, tmp_path: Path) -> None:
    """Missing, too old or something else: passed over for the first server program that is new enough."""
    old = program(tmp_path / "redis-server", 'echo "Redis server v=5.0.7 sha=0:0 malloc=libc bits=64"')
    other = program(tmp_path / "other", "echo hello")
    server.ensure(embedded, silent, [tmp_path / "missing", old, other, real_program()])
    assert the_pid()


def test_a_program_that_forgets_is_refused(embedded: Settings, tmp_path: Path) -> None:
    """A server without an append-only file is stopped again: the bus is never replaced by what does not persist."""
    forgets = program(tmp_path / "valkey-server", f'exec "{real_program()}" "$@" --appendonly no')
    with pytest.raises(NoServerError) as caught:
        server.ensure(embedded, silent, [forgets])
    assert "does not keep its data" in caught.value.advice
    eventually(lambda: not running_servers(), what="its end")


def test_a_program_that_ends_at_once_is_reported_with_its_words(embedded: Settings, tmp_path: Path) -> None:
    """What the server said before it ended is in the error."""
    script = (
        'case $1 in --version) echo "Redis server v=7.0.1 sha=0";; *) echo "cannot do this"; exit 1;; esac'
    )
    with pytest.raises(BusDownError, match="cannot do this"):
        server.ensure(embedded, silent, [program(tmp_path / "redis-server", script)])


def test_a_server_of_somebody_else_is_neither_started_nor_stopped(embedded: Settings) -> None:
    """With RT_REDIS_URL rt only asks; nothing there is bus_down at once, and hosts wait for it."""
    foreign = Settings(redis_url="redis://:hush@127.0.0.1:1/0")
    with pytest.raises(BusDownError) as caught:
        server.ensure(foreign, silent)
    assert "hush" not in str(caught.value)
    with pytest.raises(BusDownError):
        server.wait_for(foreign, 0.1)
    for act in (lambda: server.start(foreign, silent), lambda: server.stop(foreign)):
        with pytest.raises(UsageError):
            act()
    assert server.endpoint(foreign) == foreign.redis_url
    assert not server_files.here().folder.exists()


def test_another_process_on_the_socket_is_used_as_it_is(embedded: Settings) -> None:
    """RT_REDIS_URL may name the socket of a server; a password that it does not want is its refusal, in words."""
    url = server.ensure(embedded, silent)
    assert server.ensure(Settings(redis_url=url), silent) == url
    with pytest.raises(BusDownError, match="AUTH"):
        server.ensure(Settings(redis_url=url.replace("unix://", "unix://:wrong@localhost")), silent)

"""The embedded server through kills, long records, full disks and full memory."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from rt_config.errors import BusDownError, DiskFullError
from rt_config.settings import Settings
from rt_mailbox import disk, server, server_files, server_status
from rt_mailbox.server_upkeep import upkeep
from rt_mailbox.server_wire import connected, probe
from tests.helpers import eventually
from tests.integration.server_fixtures import (  # noqa: F401 (fixtures)
    ask,
    disk_of_16_mib,
    embedded_settings,
    kill_the_server,
    refused,
    running_servers,
    silent,
    the_pid,
)


def test_what_was_acknowledged_survives_kill_9(embedded: Settings) -> None:
    """S4: the server is killed in the middle of writes; each acknowledged one is there after the next start."""
    url = server.ensure(embedded, silent)
    acknowledged: list[int] = []

    def write() -> None:
        try:
            with connected(url, 10.0) as wire:
                for number in range(1_000_000):
                    wire.ask("RPUSH", "list", str(number))
                    acknowledged.append(number)
        except BusDownError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    eventually(lambda: len(acknowledged) > 200, what="some writes")
    kill_the_server()
    writer.join(10)
    server.ensure(embedded, silent)
    kept = [int(number) for number in ask("LRANGE", "list", "0", "-1")]
    assert kept[: len(acknowledged)] == acknowledged


def test_leftovers_of_a_killed_server_do_not_matter(embedded: Settings) -> None:
    """A stale socket and a stale pid file, even one that names a living process, are cleared by the next start."""
    server.ensure(embedded, silent)
    kill_the_server()
    place = server_files.here()
    assert place.socket.exists()
    place.pid_file.write_text(f"{os.getpid()}\nsome-other-start\n", encoding="ascii")
    assert server.stop(embedded) is False
    assert not place.socket.exists()
    assert not place.pid_file.exists()
    server.ensure(embedded, silent)
    assert place.pid_file.read_text().split()[0] == str(the_pid())


def test_stop_leaves_nothing_and_forgets_nothing(embedded: Settings) -> None:
    """When stop returns, process, socket and pid file are gone, and a second stop has nothing to do."""
    server.ensure(embedded, silent)
    ask("SET", "k", "v")
    place = server_files.here()
    assert server.stop(embedded) is True
    assert running_servers() == []
    assert not place.socket.exists()
    assert not place.pid_file.exists()
    assert server.stop(embedded) is False
    found = server_status.status(embedded)
    assert (found.running, found.pid) == (False, None)
    server.ensure(embedded, silent)
    assert ask("GET", "k") == "v"


def test_a_server_that_hangs_is_stopped_all_the_same(embedded: Settings) -> None:
    """A stopped process answers no SHUTDOWN and no SIGTERM; after the grace it is killed."""
    server.ensure(embedded, silent)
    os.kill(the_pid(), signal.SIGSTOP)
    assert server.stop(embedded, grace=0.1) is True
    assert running_servers() == []


def test_hosts_and_seats_start_nothing(embedded: Settings) -> None:
    """They wait, get bus_down, and go on at once when somebody else has started the server."""
    with pytest.raises(BusDownError):
        server.wait_for(embedded, 0.2)
    assert running_servers() == []
    starter = threading.Timer(0.3, server.ensure, (embedded, silent))
    starter.start()
    assert server.wait_for(embedded, 20) == server.endpoint(embedded)
    starter.join()


def _long_record() -> None:
    """A record that takes about a second to load."""
    place = server_files.here()
    place.folder.mkdir(parents=True)
    command = b"*3\r\n$5\r\nRPUSH\r\n$1\r\nl\r\n$30\r\n" + b"x" * 30 + b"\r\n"
    (place.folder / "appendonly.aof").write_bytes(command * 800_000)


def test_loading_is_waited_out_with_progress(embedded: Settings) -> None:
    """A long record is no error: the start takes its time and says how far it is; everybody else waits too."""
    _long_record()
    said: list[str] = []
    waited: list[str] = []
    waiter = threading.Thread(target=lambda: waited.append(server.wait_for(embedded, 20)))
    waiter.start()
    url = server.ensure(embedded, said.append)
    assert ask("LLEN", "l") == 800_000
    assert said
    assert all(line.startswith("the bus is loading its record (") and line.endswith("%") for line in said)
    waiter.join()
    assert waited == [url]


def test_a_damaged_record_is_reported_not_replaced(embedded: Settings) -> None:
    """The server refuses a record it cannot read; the error has its words, and the file stays."""
    place = server_files.here()
    place.folder.mkdir(parents=True)
    (place.folder / "appendonly.aof").write_bytes(b"this is no record\r\n" * 100)
    with pytest.raises(BusDownError, match=r"(?i)append only file"):
        server.ensure(embedded, silent)
    assert running_servers() == []


def _write_until_the_server_ends() -> int:
    """How many keys of 50 kB were acknowledged."""
    for number in range(100):
        try:
            assert ask("SET", f"k{number}", "v" * 50_000) == "OK"
        except BusDownError:
            return number
    pytest.fail("the disk did not get full")


def test_a_full_disk_loses_nothing(embedded: Settings, small_disk: Path) -> None:
    """Sends are refused before the end, the server's own end is told as disk_full, and with room again all is there."""
    settings = embedded.model_copy(update={"min_free_bytes": 1024 * 1024})
    server.ensure(settings, silent)
    disk.disk_guard(settings)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (disk.free_bytes(str(small_disk)) - 512 * 1024))
    with pytest.raises(DiskFullError) as caught:
        disk.disk_guard(settings)
    assert (caught.value.path, caught.value.needed_bytes) == (disk.data_dir(), 1024 * 1024)

    written = _write_until_the_server_ends()
    eventually(lambda: not running_servers(), what="the server's end")
    with pytest.raises(DiskFullError):
        server.ensure(settings, silent)
    with pytest.raises(DiskFullError):
        server.wait_for(settings, 0.1)
    assert running_servers() == []

    ballast.unlink()
    server.ensure(settings, silent)
    assert written > 0
    assert [ask("STRLEN", f"k{n}") for n in range(written)] == [50_000] * written
    server.stop(settings)


def test_full_memory_refuses_writes_and_forgets_nothing(embedded: Settings) -> None:
    """At the limit a write is refused with OOM, reads go on, and the status has warned before."""
    settings = embedded.model_copy(update={"maxmemory_bytes": 4 * 1024 * 1024})
    server.ensure(settings, silent)
    replies = [ask("SET", f"k{n}", "v" * 100_000) for n in range(60)]
    stored = [n for n, reply in enumerate(replies) if reply == "OK"]
    errors = [reply for reply in replies if refused(reply)]
    assert stored
    assert errors
    assert all(str(error).startswith("OOM") for error in errors)
    assert {ask("STRLEN", f"k{n}") for n in stored} == {100_000}
    found = server_status.status(settings)
    assert found.maxmemory == 4 * 1024 * 1024
    assert found.memory_warning is True


def test_a_log_of_history_is_rewritten_only_with_room(embedded: Settings) -> None:
    """The append-only file shrinks when it is mostly history, and is left alone when the disk has no room for both."""
    url = server.ensure(embedded, silent)
    for _ in range(60):
        ask("SET", "k", "v" * 100_000)
    place, slack = server_files.here(), 1024 * 1024
    answer = probe(url)
    crowded = embedded.model_copy(update={"min_free_bytes": 1 << 60})
    assert upkeep(crowded, place, answer, slack) is False
    assert upkeep(embedded, place, answer, slack) is True
    eventually(lambda: int(probe(url).info["aof_current_size"]) < 200_000, what="the rewrite")
    assert ask("STRLEN", "k") == 100_000
    assert upkeep(embedded, place, probe(url), slack) is False


def test_the_servers_log_stays_short(embedded: Settings) -> None:
    """A log over a megabyte is put aside by the next command, and the running server writes a new one."""
    server.ensure(embedded, silent)
    place = server_files.here()
    with place.log.open("ab") as log:
        log.write(b"x" * (server_files.LONGEST_LOG + 1))
    server.ensure(embedded, silent)
    assert not place.log.exists()
    assert place.log.with_name("server.log.1").exists()
    server.stop(embedded)
    assert 0 < place.log.stat().st_size < 10_000

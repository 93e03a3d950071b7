"""The endpoint file tells the hot door what configuration says, or nothing when it may have changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rt_config import env
from rt_config.errors import DiskFullError
from rt_config.settings import Settings
from rt_mailbox import disk
from rt_mailbox.endpoint import path, read_endpoint, write_endpoint

_URL = "unix:///somewhere/s"


def test_what_is_written_is_read(rt_home: Path) -> None:
    """Every field that the hot door needs, readable by this user alone."""
    assert write_endpoint(Settings(space="work", max_chars=5), _URL, "7.0.15") is True
    found = read_endpoint()
    assert found
    assert found["url"] == _URL
    assert (found["space"], found["max_chars"], found["max_messages"]) == ("work", "5", "100")
    assert (found["max_body_bytes"], found["min_free_bytes"]) == ("1048576", str(64 * 1024 * 1024))
    assert (found["data_dir"], found["server_version"], found["shebang"]) == (
        str(rt_home / "redis"),
        "7.0.15",
        "1",
    )
    assert (found["config"], found["config_mtime_ns"]) == (env.config_file(), "0")
    assert found["code"]
    assert Path(path()).stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in rt_home.iterdir()] == ["endpoint"]


def test_it_is_rewritten_only_when_something_changed() -> None:
    """Slow commands write it each time; the same content costs no write."""
    assert write_endpoint(Settings(), _URL, "9.1.2") is True
    before = Path(path()).stat()
    assert write_endpoint(Settings(), _URL, "9.1.2") is False
    assert Path(path()).stat().st_ino == before.st_ino
    assert write_endpoint(Settings(max_messages=7), _URL, "9.1.2") is True


@pytest.mark.parametrize(
    ("version", "shebang"), [("6.2.14", "0"), ("7.0.0", "1"), ("9.1.2", "1"), ("10.1", "1"), ("", "0")]
)
def test_script_headers_are_for_servers_that_know_them(version: str, shebang: str) -> None:
    """Redis 7 and Valkey understand them; of an unknown server nothing is assumed."""
    write_endpoint(Settings(), _URL, version)
    assert (read_endpoint() or {})["shebang"] == shebang


def test_another_servers_disk_is_not_ours(rt_home: Path) -> None:
    """With RT_REDIS_URL there is no folder to watch, and the guard is silent."""
    foreign = Settings(redis_url="rediss://host/0", min_free_bytes=1 << 60)
    write_endpoint(foreign, foreign.redis_url)
    assert (read_endpoint() or {})["data_dir"] == ""
    disk.disk_guard(foreign)


def _change_config(_patch: pytest.MonkeyPatch) -> None:
    Path(env.config_file()).write_text("max_chars = 7\n", encoding="utf-8")


def _other_config(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("RT_CONFIG", env.config_file() + ".other")


def _other_url(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("RT_REDIS_URL", "redis://elsewhere")


def _other_space(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("RT_SPACE", "elsewhere")


def _remove(_patch: pytest.MonkeyPatch) -> None:
    Path(path()).unlink()


@pytest.mark.parametrize("change", [_change_config, _other_config, _other_url, _other_space, _remove])
def test_a_stale_or_missing_file_is_none(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """Whatever could make it say something else than the settings makes it say nothing."""
    write_endpoint(Settings(), _URL, "9.1.2")
    assert read_endpoint()
    change(monkeypatch)
    assert read_endpoint() is None


def test_what_the_environment_decided_ends_with_it_outside_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator's next shell has no RT_REDIS_URL: stale. A seat's environment is not the operator's: it stays."""
    monkeypatch.setenv("RT_REDIS_URL", "redis://elsewhere")
    write_endpoint(Settings(redis_url="redis://elsewhere"), "redis://elsewhere", "7.2.0")
    assert read_endpoint()
    monkeypatch.delenv("RT_REDIS_URL")
    assert read_endpoint() is None
    monkeypatch.setenv("RT_TABLE", "rt-1")
    monkeypatch.setenv("RT_SEAT", "skeptic")
    assert read_endpoint()


def test_a_path_that_fits_no_line_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A newline in a path must not become a field."""
    write_endpoint(Settings(), _URL, "9.1.2")
    monkeypatch.setenv("RT_CONFIG", env.config_file() + "\nurl=redis://evil")
    assert write_endpoint(Settings(), _URL, "9.1.2") is False
    assert not Path(path()).exists()


def test_the_guard_refuses_before_the_disk_is_full(rt_home: Path) -> None:
    """The folder need not exist; the error says where, how much is needed and how much is there."""
    disk.disk_guard(Settings(min_free_bytes=1))
    with pytest.raises(DiskFullError) as caught:
        disk.disk_guard(Settings(min_free_bytes=1 << 60))
    assert caught.value.path == str(rt_home / "redis")
    assert caught.value.needed_bytes == 1 << 60
    assert caught.value.free_bytes == pytest.approx(disk.free_bytes("/tmp"), rel=0.1)


def test_the_hot_door_imports_nothing_heavy() -> None:
    """Reading the endpoint and guarding the disk load neither pydantic, redis-py, asyncio nor pathlib."""
    code = (
        "import sys; before = set(sys.modules); from rt_mailbox import disk, endpoint; endpoint.read_endpoint(); "
        "disk.require_free('/', 0); print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
                         capture_output=True, text=True, check=True)  # fmt: skip
    loaded = set(ran.stdout.split())
    assert "rt_mailbox.endpoint" in loaded
    assert not loaded & {
        "pydantic",
        "redis",
        "asyncio",
        "pathlib",
        "subprocess",
        "socket",
        "urllib.parse",
        "json",
        "psutil",
    }

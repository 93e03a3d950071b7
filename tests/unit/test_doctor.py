"""What the doctor concludes from what servers and the machine say."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rt_config.errors import TmuxMissingError
from rt_config.settings import Settings
from rt_mailbox import server_status
from rt_moderator import checks_bus, checks_machine
from rt_moderator.doctor import examine, failed
from rt_moderator.finding import Finding

FINE = {
    "valkey_version": "9.1.2", "appendonly": "yes", "appendfsync": "always", "aof_enabled": "1",
    "maxmemory": "1000", "used_memory": "1", "maxmemory-policy": "noeviction", "role": "master",
}  # fmt: skip


@pytest.fixture(name="told")
def findings_about(monkeypatch: pytest.MonkeyPatch) -> object:
    """What is said about a server with these facts at that URL, as check → (level, text, fix)."""

    def about(url: str = "redis://:secret@h:1", **facts: str) -> dict[str, tuple[str, str, str]]:
        known = {"h:1": FINE | {name.replace("_", "-") if "policy" in name or "min_" in name else name: v
                                for name, v in facts.items()}}  # fmt: skip
        monkeypatch.setattr(server_status, "ask", lambda _url: known)
        found = list(checks_bus.look(Settings(redis_url=url)))
        return {one.check: (one.level, one.text, one.fix) for one in found}

    return about


def test_a_good_server_has_no_warning(told) -> None:  # type: ignore[no-untyped-def]
    """Its version, what a crash loses, its memory: nothing else."""
    found = told()
    assert {check: level for check, (level, _, _) in found.items()} == dict.fromkeys(
        ("server", "durability", "memory"), "ok"
    )
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    ("facts", "check", "level", "says"),
    [
        ({"appendfsync": "everysec"}, "durability", "warn", "last two seconds"),
        ({"appendonly": "no", "aof_enabled": "0", "save": ""}, "durability", "warn", "loses everything"),
        ({"maxmemory_policy": "allkeys-lru"}, "eviction", "warn", "deletes records"),
        ({"used_memory": "900"}, "memory", "warn", "90 % of h:1"),
        ({"maxmemory": "0"}, "memory", "ok", "no limit"),
        ({"aof_last_write_status": "err"}, "disk", "fail", "cannot write"),
        ({"connected_slaves": "1"}, "replicas", "warn", "history_lost"),
        ({"connected_slaves": "2", "min_replicas_to_write": "1"}, "replicas", "ok", "2 connected"),
        ({"role": "slave"}, "replicas", "fail", "a replica"),
        ({"valkey_version": "", "redis_version": "6.0.9"}, "server", "fail", "too old"),
        ({"valkey_version": "", "redis_version": "6.2.14"}, "server", "warn", "memory is full"),
        ({"loading": "1"}, "server", "warn", "loading"),
    ],
)  # fmt: skip
def test_each_weakness_has_its_line_and_its_fix(  # type: ignore[no-untyped-def]
    told, facts: dict[str, str], check: str, level: str, says: str
) -> None:
    """S4.23: what a crash of this server can lose, and each setting that can cost messages."""
    found = told(**facts)
    assert found[check][0] == level
    assert says in found[check][1]
    assert bool(found[check][2]) is (level != "ok")


def test_a_cluster_without_replicas_is_told(told) -> None:  # type: ignore[no-untyped-def]
    """There is nothing to fail over to; one server of one's own is not blamed for that."""
    assert told("redis+cluster://h:1")["replicas"][0] == "warn"
    assert "replicas" not in told("redis://h:1")


def test_checks_run_side_by_side_and_say_what_is_slow() -> None:
    """A slow one costs its own time only, is named, and one that breaks hides no other."""
    lines: list[str] = []

    def slow(_: Settings) -> Iterator[Finding]:
        time.sleep(1.2)
        yield Finding("slow", "ok", "done")

    def refused(_: Settings) -> Iterator[Finding]:
        raise TmuxMissingError(install="apt install tmux")

    def broken(_: Settings) -> Iterator[Finding]:
        raise ZeroDivisionError

    began = time.monotonic()
    found = examine(Settings(), lines.append, {"one": slow, "two": slow, "tmux": refused, "bad": broken})
    assert time.monotonic() - began < 2.2
    assert lines == ["looking at one, two …"]
    assert [one.check for one in found] == ["slow", "slow", "tmux", "bad"]
    assert (found[2].level, found[2].fix) == ("fail", "apt install tmux")
    assert found[3].level == "fail"
    assert failed(found)
    assert not failed(found[:2])


def test_another_rt_on_the_path_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A person who types rt must get this one."""
    (mine,) = checks_machine.command(Settings())
    assert mine.level == "ok"
    (tmp_path / "rt").write_text("#!/bin/sh\n")
    (tmp_path / "rt").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (other,) = checks_machine.command(Settings())
    assert (other.level, str(tmp_path) in other.text) == ("warn", True)
    monkeypatch.setenv("PATH", "/nowhere")
    (none,) = checks_machine.command(Settings())
    assert (none.level, bool(none.fix)) == ("warn", True)


def test_a_home_that_others_can_write_is_named(rt_home: Path) -> None:
    """RT_HOME holds tokens and the bus."""
    assert [one.level for one in checks_machine.home(Settings())] == ["ok"]
    rt_home.mkdir(mode=0o700)
    assert [one.level for one in checks_machine.home(Settings())] == ["ok"]
    rt_home.chmod(0o777)
    assert [one.level for one in checks_machine.home(Settings())] == ["warn"]

"""What a server says about itself, and what a crash of it can lose. Pure, but for `status`, which asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rt_config.errors import BusDownError
from rt_mailbox import disk, server_files, server_wire
from rt_mailbox.server_facts import SHOWN

if TYPE_CHECKING:
    from rt_config.settings import Settings

_WARN_AT = 0.8  # of maxmemory
_BY_FSYNC = {
    "always": "a crash loses nothing that was acknowledged: each write is on disk before its answer",
    "everysec": "a crash can lose about the last two seconds, acknowledged messages too",
    "no": "a crash can lose what was not written out yet, and the machine's crash up to about 30 seconds",
}
_WEAKNESS = list(_BY_FSYNC.values())  # the strongest first


@dataclass(frozen=True)
class Status:
    """One look at the server. Sizes are bytes; maxmemory 0 means no limit; free_bytes -1 another machine's disk."""

    running: bool
    url: str
    pid: int | None = None
    kind: Literal["valkey", "redis"] | None = None
    version: str = ""
    uptime_seconds: int = 0
    used_memory: int = 0
    maxmemory: int = 0
    aof_enabled: bool = False
    appendfsync: str = ""
    aof_last_write_status: str = ""
    loading: bool = False
    free_bytes: int = -1
    durability: str = ""
    memory_warning: bool = False


def status(settings: Settings) -> Status:
    """How the server behind `settings` is; `running` is False when none answers. Starts nothing.

    Of several that keep parts of the record, sizes are sums and `durability` is that of the weakest.

    Raises:
        BadConfigError: a URL of no known form.
    """
    url = settings.redis_url or server_files.here().url
    free = -1 if settings.redis_url else disk.free_bytes(disk.data_dir())
    try:
        return describe_all(url, list(ask(url).values()), free)
    except BusDownError:
        return Status(
            running=False, url=server_wire.shown(url), free_bytes=free, durability="no server answers"
        )


def ask(url: str) -> dict[str, dict[str, str]]:
    """INFO merged with the settings that decide on durability, of each server that keeps a part of the record, by host:port.

    Raises:
        BusDownError: one of them does not answer.
        BadConfigError: a URL of no known form.
    """
    if not server_wire.speaks(url):
        from rt_mailbox import remote

        return remote.facts(url)
    with server_wire.connected(url) as wire:
        return {server_wire.shown(url): wire.info() | _configured(wire)}


def describe_all(url: str, found: list[dict[str, str]], free_bytes: int = -1) -> Status:
    """The status of servers that share a record; one is described as it is."""
    each = [describe(url, facts, free_bytes) for facts in found]
    weakest = max(
        each, key=lambda one: _WEAKNESS.index(one.durability) if one.durability in _WEAKNESS else 99
    )
    if len(each) == 1:
        return each[0]
    return replace(
        weakest,
        pid=None,
        used_memory=sum(one.used_memory for one in each),
        maxmemory=sum(one.maxmemory for one in each) if all(one.maxmemory for one in each) else 0,
        loading=any(one.loading for one in each),
        memory_warning=any(one.memory_warning for one in each),
    )


def describe(url: str, facts: Mapping[str, str], free_bytes: int = -1) -> Status:
    """The status of a server that answered `facts`: INFO merged with CONFIG `appendonly`, `appendfsync`, `save`, if shown."""
    used, most = int(facts.get("used_memory", 0)), int(facts.get("maxmemory", 0))
    return Status(
        running=True,
        url=server_wire.shown(url),
        pid=int(facts["process_id"]) if "process_id" in facts else None,
        kind="valkey" if "valkey_version" in facts else "redis",
        version=version(facts),
        uptime_seconds=int(facts.get("uptime_in_seconds", 0)),
        used_memory=used,
        maxmemory=most,
        aof_enabled=_keeps_log(facts) is True,
        appendfsync=facts.get("appendfsync", ""),
        aof_last_write_status=facts.get("aof_last_write_status", ""),
        loading=facts.get("loading") == "1",
        free_bytes=free_bytes,
        durability=durability(facts),
        memory_warning=most > 0 and used >= _WARN_AT * most,
    )


def version(facts: Mapping[str, str]) -> str:
    """The server's own version; Valkey's `redis_version` only says what it imitates."""
    return facts.get("valkey_version") or facts.get("redis_version", "")


def durability(facts: Mapping[str, str]) -> str:
    """One sentence: what a crash of this server can lose. It promises no more than the server's settings do."""
    keeps_log = _keeps_log(facts)
    if keeps_log is None:
        return "what a crash can lose is unknown: the server does not show its settings"
    if not keeps_log:
        if facts.get("save") == "":
            return "a crash loses everything: the server writes nothing to disk"
        return "a crash loses everything since the last snapshot: the server keeps no append-only file"
    unknown = "what a crash can lose is unknown: there is an append-only file, but appendfsync is not shown"
    return _BY_FSYNC.get(facts.get("appendfsync", ""), unknown)


def _keeps_log(facts: Mapping[str, str]) -> bool | None:
    """Whether there is an append-only file; INFO alone says no while the server loads it."""
    if "appendonly" in facts:
        return facts["appendonly"] == "yes"
    return facts["aof_enabled"] == "1" if "aof_enabled" in facts else None


def _configured(wire: server_wire.Wire) -> dict[str, str]:
    values = {name: wire.config(name) for name in SHOWN}
    return {name: value for name, value in values.items() if value is not None}

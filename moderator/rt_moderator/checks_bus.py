"""The doctor's look at the bus: whether it answers, what a crash of this very server can lose, what is running out."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from rt_config.errors import BusDownError, RoundtableError
from rt_mailbox import directory, disk, hosts, server, server_status
from rt_mailbox.addresses import group_of
from rt_mailbox.keys import key
from rt_moderator.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rt_config.settings import Settings
    from rt_mailbox.door import Door

_OLDEST, _WITH_FLAGS = (6, 2), (7, 0)
_ALWAYS = "loses nothing that was acknowledged"


def look(settings: Settings) -> Iterator[Finding]:
    """Findings about each server that keeps a part of the record. Starts none.

    Raises:
        BadConfigError: RT_REDIS_URL has no known form.
        BusDownError: RT_REDIS_URL does not answer.
        NoServerError: there is none, and none can be started.
    """
    url = server.endpoint(settings)
    try:
        found = server_status.ask(url)
    except BusDownError:
        if settings.redis_url:
            raise
        yield _startable()
        return
    for name, facts in found.items():
        status = server_status.describe(url, facts)
        yield _server(name, status)
        yield durability(status, facts)
        yield from _replication(hosts.parse(url).kind, facts)
        yield from _settings(status, facts)
        if status.memory_warning:
            used = round(100 * status.used_memory / status.maxmemory)
            yield Finding("memory", "warn", f"{used} % of {name} is used{_of_tables(settings, url)}",
                          "archive old tables (rt archive), or raise maxmemory")  # fmt: skip


def disk_room(settings: Settings) -> Iterator[Finding]:
    """Whether the embedded server's disk has room; another server's disk is its own business."""
    if settings.redis_url:
        return
    folder, least = disk.data_dir(), settings.min_free_bytes
    free = disk.free_bytes(folder)
    text = f"{free >> 20} MiB are free below {folder}"
    if free < least:
        yield Finding(
            "disk", "fail", f"{text}; messages are refused below {least >> 20} MiB", "free some space"
        )
    elif free < 4 * least:
        yield Finding(
            "disk", "warn", f"{text}; messages are refused below {least >> 20} MiB", "free some space"
        )
    else:
        yield Finding("disk", "ok", text)


def durability(status: server_status.Status, facts: dict[str, str]) -> Finding:
    """What a crash of this server can lose, in one sentence."""
    if _ALWAYS in status.durability:
        return Finding("durability", "ok", status.durability)
    fix = "CONFIG SET appendfsync always" if facts.get("appendonly") == "yes" else (
        "CONFIG SET appendonly yes and appendfsync always, or use the embedded server"
    )  # fmt: skip
    return Finding("durability", "warn", status.durability, f"{fix}; CONFIG REWRITE keeps it")


def largest(door: Door, space: str, most: int = 3) -> list[str]:
    """The tables with the largest records, as `<table> 12 MiB`."""
    sizes = {
        table: int(door.command("MEMORY", "USAGE", key(table, "log", group_of(table))) or 0)
        for table in directory.entries(door, space)
    }
    return [
        f"{table} {sizes[table] >> 20} MiB" for table in sorted(sizes, key=sizes.__getitem__)[::-1][:most]
    ]


def _startable() -> Finding:
    from rt_mailbox import server_binary

    found = server_binary.find()
    return Finding(
        "server", "ok", f"none runs; the next command starts {found.kind} {found.version} ({found.path})"
    )


def _server(name: str, status: server_status.Status) -> Finding:
    text = f"{status.kind} {status.version} at {name}"
    number = tuple(int(part) for part in status.version.split(".")[:2] if part.isdecimal())
    if status.loading:
        return Finding("server", "warn", f"{text}, loading its record", "wait; commands do")
    if number and number < _OLDEST:
        return Finding("server", "fail", f"{text} is too old", "Redis 6.2 or newer, or Valkey")
    if number and number < _WITH_FLAGS:
        what = "when its memory is full, cursors, acks and archive are refused, too"
        return Finding("server", "warn", f"{text}: {what}", "Redis 7 or newer, or Valkey")
    return Finding("server", "ok", text)


def _replication(kind: hosts.Kind, facts: dict[str, str]) -> Iterator[Finding]:
    """What a failover can lose; nothing is said about a server that has no replicas and wants none."""
    count, least = int(facts.get("connected_slaves", 0)), facts.get("min-replicas-to-write", "0")
    if facts.get("role") == "slave":
        yield Finding(
            "replicas", "fail", "this is a replica: it takes no messages", "RT_REDIS_URL must name its master"
        )
    elif not count and kind in ("sentinel", "cluster"):
        yield Finding("replicas", "warn", "none is connected: there is nothing to fail over to", "start one")
    elif count and least == "0":
        text = f"{count} connected; a failover loses what none of them had yet, and history_lost tells which"
        yield Finding(
            "replicas", "warn", text, "CONFIG SET min-replicas-to-write 1 bounds it to about ten seconds"
        )
    elif count:
        yield Finding("replicas", "ok", f"{count} connected, {least} must be in touch for a write")


def _settings(status: server_status.Status, facts: dict[str, str]) -> Iterator[Finding]:
    policy = facts.get("maxmemory-policy", "noeviction")
    if policy != "noeviction":
        text = f"maxmemory-policy is {policy}: when memory runs out the server deletes records"
        yield Finding("eviction", "warn", text, "CONFIG SET maxmemory-policy noeviction")
    if facts.get("aof_enabled") == "1" and facts.get("aof_last_write_status", "ok") != "ok":
        yield Finding(
            "disk", "fail", "the server cannot write its append-only file", "see its log and its disk"
        )
    if not status.maxmemory and status.kind:
        yield Finding("memory", "ok", f"{status.used_memory >> 20} MiB used, no limit")
    elif not status.memory_warning and status.kind:
        yield Finding("memory", "ok", f"{status.used_memory >> 20} MiB used of {status.maxmemory >> 20} MiB")


def _of_tables(settings: Settings, url: str) -> str:
    from rt_mailbox.client import RedisDoor

    try:
        with closing(RedisDoor(url)) as door:
            names = largest(door, settings.space)
    except RoundtableError:
        return ""
    return f"; largest: {', '.join(names)}" if names else ""

"""bus: the server behind the mailbox, started, stopped and looked at by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_mailbox.server_status import Status


@click.group("bus", epilog="\b\nExample:\n  rt bus status")
def bus() -> None:
    """The server that keeps every record."""


def _settings() -> Settings:
    from pathlib import Path

    from rt_config import settings

    return settings.load(Path.cwd())


@command("start", example="rt bus start")
def start(as_json: bool) -> int:
    """Start the embedded server; every operator's command does so by itself when there is none."""
    from rt_mailbox import server, server_status
    from rt_mailbox.endpoint import write_endpoint

    settings = _settings()
    ran = server_status.status(settings).running
    url = server.start(settings, progress)
    write_endpoint(settings, url)
    found = server_status.status(settings)
    if as_json:
        emit_json(
            {
                "running": True,
                "started": not ran,
                "url": found.url,
                "pid": found.pid,
                "version": found.version,
            }
        )
    else:
        emit(
            f"the bus {'runs already' if ran else 'is started'}: {found.kind} {found.version}, pid {found.pid}\n  {found.url}"
        )
    return 0


@command("stop", example="rt bus stop")
@click.option("--force", is_flag=True, help="Even while tables have a live host.")
def stop(force: bool, as_json: bool) -> int:
    """Stop every session of the deck, then the embedded server. Nothing that was said is lost; rt resume brings it back."""
    from rt_moderator import shutdown

    found = shutdown.stop(_settings(), force=force)
    if as_json:
        emit_json(found)
        return 0
    lines = []
    if removed := found["sessions_removed"]:
        tables = "".join(f"\n  rt resume {table}" for table in found["tables"])
        what = "1 session" if len(removed) == 1 else f"{len(removed)} sessions"
        lines.append(f"{what} removed, because nothing works without the bus.{tables}")
    lines.append("the bus is stopped; every record is on disk." if found["stopped"] else "no bus ran.")
    emit("\n".join(lines))
    return 0


@command("status", example="rt bus status --json")
def status(as_json: bool) -> int:
    """Show whether the server runs, where, and what a crash of it could lose. Starts nothing."""
    from dataclasses import asdict

    from rt_moderator import shutdown

    found = shutdown.status(_settings())
    emit_json(asdict(found)) if as_json else emit(_status_text(found))
    return 0


def _status_text(found: Status) -> str:
    if not found.running:
        return f"no bus runs at {found.url}\n  any command that needs it starts it, or rt bus start"
    from rt_moderator.words import grid, span

    limit = f" of {_size(found.maxmemory)}" if found.maxmemory else ", no limit"
    rows = [
        ("at", found.url),
        (
            "memory",
            _size(found.used_memory) + limit + ("   WARNING: nearly full" if found.memory_warning else ""),
        ),
        ("disk", f"{_size(found.free_bytes)} free" if found.free_bytes >= 0 else "another machine's"),
        ("durability", found.durability),
    ]
    loading = ", loading its record" if found.loading else ""
    head = f"{found.kind} {found.version}, pid {found.pid}, up {span(found.uptime_seconds)}{loading}"
    return "\n".join([head, *grid(rows)])


def _size(count: int) -> str:
    for unit, bits in (("GiB", 30), ("MiB", 20)):
        if count >= 1 << bits:
            return f"{count / (1 << bits):.1f} {unit}"
    return f"{count >> 10} KiB"


@command("backup", example="rt bus backup monday.jsonl")
@click.argument("file", metavar="FILE")
def backup(file: str, as_json: bool) -> int:
    """Write everything the bus holds into FILE, checksummed, while it is in use; each table as it is at one moment."""
    from rt_moderator import keeping

    found = keeping.backup(open_shell(), file)
    if as_json:
        emit_json(found)
        return 0
    apart = "\n  not in it: RT_HOME/archive, the files of offloaded tables" if found["archived"] else ""
    emit(f"{found['messages']} messages of {len(found['spaces'])} spaces are in {file}.{apart}")
    return 0


@command("restore", example="rt bus restore monday.jsonl")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Also over tables that differ from the backup.")
def restore(file: str, force: bool, as_json: bool) -> int:
    """Bring a backup back, each table whole or not at all; refuses when one is there and differs. What else is there stays."""
    from rt_moderator import keeping

    found = keeping.restore(open_shell(), file, force=force)
    if as_json:
        emit_json(found)
        return 0
    same = f", {len(found['unchanged'])} were there just so" if found["unchanged"] else ""
    emit(f"{len(found['restored'])} spaces restored from {file}{same}.")
    return 0


for _command in (start, stop, status, backup, restore):
    bus.add_command(_command)

"""Keeping the embedded server's files short, a little at each operator's command.

The server never rewrites its append-only file by itself: a rewrite that fills the disk would end it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from rt_config.errors import BusDownError
from rt_mailbox import disk, server_files
from rt_mailbox.server_facts import Probe
from rt_mailbox.server_wire import connected

if TYPE_CHECKING:
    from rt_config.settings import Settings

SLACK_BYTES = 64 * 1024 * 1024


def upkeep(
    settings: Settings, place: server_files.Place, answer: Probe, slack_bytes: int = SLACK_BYTES
) -> bool:
    """Shorten the log, and have the append-only file rewritten; True when a rewrite was begun.

    It is when the file is mostly history and the disk has room for both. Never raises: the next command tries again.
    """
    server_files.shorten_log(place)
    size = int(answer.info.get("aof_current_size", "0"))
    if size <= slack_bytes or answer.info.get("aof_rewrite_in_progress") == "1":
        return False
    with contextlib.suppress(BusDownError, OSError), connected(place.url) as wire:
        live = int(wire.info("memory").get("used_memory", "0"))
        room = disk.free_bytes(str(place.folder)) - settings.min_free_bytes
        if live and size > 2 * live + slack_bytes and room > size:
            wire.ask("BGREWRITEAOF")
            return True
    return False

"""Stopping the bus with everything that cannot work without it, and looking at it; neither starts a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import BusBusyError, BusDownError, TmuxMissingError
from rt_mailbox import directory, server, server_status, tables
from rt_moderator import hosting

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_mailbox.server_status import Status


def status(settings: Settings) -> Status:
    """How the server is, whatever the kind of its URL. Starts nothing."""
    return server_status.status(settings)


def hosted(settings: Settings) -> list[str]:
    """The open tables whose host is alive; empty when no server runs."""
    from rt_mailbox.access import door_to

    if not server_status.status(settings).running:
        return []
    door = door_to(server.endpoint(settings))
    try:
        found = {table: tables.snapshot(door, table, 1) for table in directory.entries(door, settings.space)}
    except BusDownError:
        return []
    finally:
        door.close()
    return [
        table
        for table, snapshot in found.items()
        if snapshot and snapshot["table"]["state"] in directory.OPEN and hosting.alive(snapshot)
    ]


def stop(settings: Settings, *, force: bool = False) -> dict[str, Any]:
    """Remove the deck's sessions, stop its tmux server, then the bus: {stopped, sessions_removed, tables}.

    `tables` are those that had a live host: what `rt resume` is for.

    Raises:
        BusBusyError: tables have a live host, and not `force`; nothing was done.
        UsageError: RT_REDIS_URL names a server that is not ours; nothing was done.
    """
    if settings.redis_url:
        server.stop(settings)  # says that it is not ours
    live = hosted(settings)
    if live and not force:
        raise BusBusyError(tables=", ".join(live))
    removed = _clear_deck()
    return {"stopped": server.stop(settings), "sessions_removed": removed, "tables": live}


def _clear_deck() -> list[str]:
    from rt_deck.sessions import Deck

    deck = Deck()
    try:
        removed: set[str] = set()
        for _ in range(3):  # a host may have seated somebody while it was being ended itself
            if not (names := [session.name for session in deck.list()]):
                break
            removed |= set(deck.remove_many(names))
        deck.stop_server_if_empty()
    except TmuxMissingError:
        return []
    return sorted(removed)

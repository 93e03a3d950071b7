"""Who calls, and through which door: the light way in that seats and the hot commands take.

A seat's session file (RT_TOKEN_FILE, mode 0600) holds two lines, its token and the URL of the bus it was seated on, so that
a later change of configuration never moves a running seat to another bus.
"""

from __future__ import annotations

import os

from rt_config import env
from rt_mailbox import endpoint, groups
from rt_mailbox.hot import HotDoor, serves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door


class Access:
    """A door with what goes with it: the default space and the limits."""

    def __init__(self, door: Door, found: dict[str, str]) -> None:
        self.door = door
        self.space = found.get("space") or env.DEFAULT_SPACE
        self.data_dir = found.get("data_dir", "")
        self.min_free_bytes = int(found.get("min_free_bytes") or 0)
        self.max_body_bytes = int(found.get("max_body_bytes") or groups.MAX_BODY_BYTES)
        self.max_messages = int(found.get("max_messages") or groups.MAX_MESSAGES)
        self.max_chars = int(found.get("max_chars") or groups.MAX_CHARS)


class Seat:
    """The seat this process runs in."""

    def __init__(self, table: str, slug: str, token: str, url: str) -> None:
        self.table, self.slug, self.token, self.url = table, slug, token, url

    @property
    def pair(self) -> tuple[str, str]:
        """(slug, token), as the scripts want it."""
        return self.slug, self.token


def seat() -> Seat | None:
    """The seat of this process, or None on an operator's own shell."""
    who = env.seat()
    if who is None:
        return None
    token, url = "", ""
    path = os.environ.get("RT_TOKEN_FILE", "")
    if path:
        with open(path, encoding="utf-8") as f:
            token, _, url = f.read().strip().partition("\n")
    return Seat(who[0], who[1], token, url)


def write_seat_file(path: str, token: str, url: str) -> None:
    """Write a seat's session file, readable by this user only."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as f:
        f.write(f"{token}\n{url}\n")


def door_to(url: str) -> Door:
    """The hot door where it can go, else redis-py's: the same scripts, without the import of the larger client. Not for threads."""
    if serves(url):
        return HotDoor(url)
    from rt_mailbox.client import RedisDoor

    return RedisDoor(url)


def open_any(who: Seat | None = None) -> Access:
    """The hot door, else the library's: for hosts and seats, which never start a server.

    Raises:
        BadConfigError.
    """
    found = open_light(who)
    if found is not None:
        return found
    from rt_config import settings as configuration
    from rt_mailbox import disk, server, server_files

    settings = configuration.load()
    url = (who.url if who else "") or server.endpoint(settings)
    names = ("space", "min_free_bytes", "max_body_bytes", "max_messages", "max_chars")
    limits = {name: str(getattr(settings, name)) for name in names}
    embedded = url == server_files.here().url
    return Access(door_to(url), limits | {"data_dir": disk.data_dir() if embedded else ""})


def open_light(who: Seat | None = None) -> Access | None:
    """The hot door, or None when it may not serve: no fresh endpoint file, or a URL with TLS, sentinel or cluster."""
    found = endpoint.read_endpoint()
    if who is not None and who.url:
        found = (found or {}) | {"url": who.url}
    if not found or not serves(found["url"]):
        return None
    return Access(HotDoor(found["url"], shebang=found.get("shebang", "1") == "1"), found)

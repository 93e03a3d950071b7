"""What is said about a server follows from its own words, and promises no more than they do."""

from __future__ import annotations

import pytest

from rt_config.errors import BusDownError
from rt_config.settings import Settings
from rt_mailbox import server_status


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"aof_enabled": "1", "appendfsync": "always"}, "loses nothing that was acknowledged"),
        ({"aof_enabled": "1", "appendfsync": "everysec"}, "last two seconds"),
        ({"aof_enabled": "1", "appendfsync": "no"}, "30 seconds"),
        ({"aof_enabled": "1"}, "unknown"),
        ({"aof_enabled": "0", "save": ""}, "loses everything: the server writes nothing"),
        ({"aof_enabled": "0", "save": "3600 1"}, "since the last snapshot"),
        ({"aof_enabled": "0"}, "since the last snapshot"),
        (
            {"aof_enabled": "0", "loading": "1", "appendonly": "yes", "appendfsync": "always"},
            "loses nothing that was",
        ),
        ({}, "unknown"),
    ],
)
def test_durability_says_what_a_crash_can_lose(facts: dict[str, str], says: str) -> None:
    """One sentence for each setting; what is not shown is called unknown."""
    assert says in server_status.durability(facts)


@pytest.mark.parametrize(
    ("used", "most", "warns"), [(799, 1000, False), (800, 1000, True), (10**12, 0, False)]
)
def test_memory_warns_at_four_fifths(used: int, most: int, *, warns: bool) -> None:
    """At 80 % of maxmemory there is a warning; without a limit never."""
    found = server_status.describe("unix:///s", {"used_memory": str(used), "maxmemory": str(most)})
    assert found.memory_warning is warns


def test_valkey_is_not_taken_for_the_redis_it_imitates() -> None:
    """Valkey reports redis_version 7.2.4; its own version counts."""
    found = server_status.describe("unix:///s", {"redis_version": "7.2.4", "valkey_version": "9.1.2"})
    assert (found.kind, found.version) == ("valkey", "9.1.2")
    found = server_status.describe("unix:///s", {"redis_version": "7.0.15"})
    assert (found.kind, found.version) == ("redis", "7.0.15")


def test_a_status_shows_no_password() -> None:
    """The URL in a status is for screens."""
    assert server_status.describe("redis://me:p%40ss@host/0", {}).url == "redis://me:***@host/0"
    assert server_status.describe("redis://:pw@host/0", {}).url == "redis://:***@host/0"


def test_a_url_that_needs_the_librarys_client_is_said_to() -> None:
    """TLS, sentinel and cluster are asked through the library; nothing is guessed about them here."""
    with pytest.raises(BusDownError, match="library's client"):
        server_status.status(Settings(redis_url="rediss://host/0"))

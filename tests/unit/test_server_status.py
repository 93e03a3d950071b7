"""What is said about a server follows from its own words, and promises no more than they do."""

from __future__ import annotations

import pytest

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


def test_a_url_that_needs_the_librarys_client_is_asked_through_it() -> None:
    """TLS, sentinel and cluster: nobody there is said as for any other server."""
    for scheme, path in (("rediss", "/0"), ("redis+sentinel", "/bus"), ("redis+cluster", "")):
        found = server_status.status(Settings(redis_url=f"{scheme}://:pw@127.0.0.1:1{path}"))
        assert (found.running, "pw" in found.url) == (False, False)


def test_of_several_servers_the_weakest_counts() -> None:
    """A record that is spread over three is as safe as the least safe of them; sizes are sums."""
    fine = {"aof_enabled": "1", "appendfsync": "always", "used_memory": "10", "maxmemory": "100"}
    found = server_status.describe_all(
        "redis+cluster://h:1", [fine, fine | {"appendfsync": "everysec"}, fine]
    )
    assert "last two seconds" in found.durability
    assert (found.used_memory, found.maxmemory, found.memory_warning) == (30, 300, False)
    assert (
        "everything"
        in server_status.describe_all("redis+cluster://h:1", [fine, {"aof_enabled": "0"}]).durability
    )
    assert server_status.describe_all(
        "redis+cluster://h:1", [fine, fine | {"used_memory": "90"}]
    ).memory_warning

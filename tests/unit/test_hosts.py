"""A URL of the bus is read whole or refused with a reason that holds no password."""

from __future__ import annotations

import pytest

from rt_config.errors import BadConfigError
from rt_mailbox import door, server_wire
from rt_mailbox.hosts import parse


@pytest.mark.parametrize(
    ("url", "kind", "nodes", "service"),
    [
        ("redis://h", "single", (("h", 6379),), ""),
        ("redis://me:p%40ss@h:1/2", "single", (("h", 1),), ""),
        ("redis://[::1]:7", "single", (("::1", 7),), ""),
        ("redis://[::1]", "single", (("::1", 6379),), ""),
        ("redis+sentinel://a,b:2/bus", "sentinel", (("a", 26379), ("b", 2)), "bus"),
        ("rediss+sentinel://:pw@a:1/bus/3", "sentinel", (("a", 1),), "bus"),
        ("redis+cluster://a:1,b", "cluster", (("a", 1), ("b", 6379)), ""),
        ("redis+cluster://a:1/0", "cluster", (("a", 1),), ""),
    ],
)
def test_every_form_is_read(url: str, kind: str, nodes: tuple[tuple[str, int], ...], service: str) -> None:
    """S4.27: one server, sentinels or a cluster, with or without TLS; ports have their defaults."""
    found = parse(url)
    assert (found.kind, found.nodes, found.service) == (kind, nodes, service)
    assert found.options.get("ssl", False) is url.startswith("rediss")


def test_a_socket_is_a_path() -> None:
    """Percent signs are read as in every URL."""
    assert parse("unix:///a%20b/s").path == "/a b/s"


def test_logins_and_databases_go_to_the_server_and_others_to_the_sentinels() -> None:
    """A sentinel has a password of its own; trust is the same for both."""
    found = parse("rediss+sentinel://me:p%2Fw@a:1/bus/3?sentinel_password=x%26y&ssl_ca_certs=/ca.pem")
    assert found.options == {
        "username": "me",
        "password": "p/w",
        "db": 3,
        "ssl": True,
        "ssl_ca_certs": "/ca.pem",
    }
    assert found.sentinel_options == {"password": "x&y", "ssl": True, "ssl_ca_certs": "/ca.pem"}
    assert "db" not in parse("redis+cluster://a").options
    assert parse("rediss://h?ssl_check_hostname=false").options["ssl_check_hostname"] is False


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("localhost:6379", "no known form"),
        ("http://:secret@h", "none of"),
        ("redis+magic://:secret@h", "none of"),
        ("redis+://h", "none of"),
        ("redis://:secret@a,b", "several hosts"),
        ("redis://:secret@h:x", "no port"),
        ("redis://:secret@h:70000", "no port"),
        ("redis://:secret@h/x", "no database"),
        ("redis+sentinel://:secret@h", "service"),
        ("redis+cluster://:secret@h/1", "no databases"),
        ("redis://:secret@h?socket_timeout=0", "no option 'socket_timeout'"),
        ("redis://:secret@h?ssl_ca_certs=/x", "no option 'ssl_ca_certs'"),
        ("redis://:secret@h?sentinel_password=secret", "no option"),
    ],
)
def test_what_cannot_be_meant_is_refused(url: str, says: str) -> None:
    """bad_config names the reason; a time-out or a retry cannot come in by the URL."""
    with pytest.raises(BadConfigError, match=says) as caught:
        parse(url)
    assert "secret" not in f"{caught.value} {caught.value.fields}"


def test_a_shown_url_has_neither_password_nor_options() -> None:
    """Options may hold a sentinel's password."""
    url = "redis+sentinel://me:secret@a:1,b:2/bus?sentinel_password=secret"
    assert door.shown(url) == "a:1,b:2/bus"
    assert server_wire.shown(url) == "redis+sentinel://me:***@a:1,b:2/bus"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006).", "self-signed"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)", "does not speak TLS"),
        ("[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert certificate required", "ssl_certfile"),
        ("Connection refused", "Connection refused"),
    ],
)  # fmt: skip
def test_tls_troubles_are_said_in_words(text: str, says: str) -> None:
    """What a certificate lacks, and what to do."""
    assert says in door.plain_reason(text)
    assert "_ssl" not in door.plain_reason(text)

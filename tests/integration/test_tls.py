"""rediss:// through a real TLS front: what works, and what a wrong certificate is called."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rt_config.errors import BusDownError
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from tests.helpers import rt
from tests.integration.bus_fixtures import IDEAS, fresh_space, module_server  # noqa: F401 (fixtures)
from tests.integration.hosts_fixtures import TlsFront


@pytest.fixture(scope="module", name="front")
def tls_front(bus_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsFront]:
    """TLS before the module's server."""
    made = TlsFront(tmp_path_factory.mktemp("tls"), bus_url.removeprefix("unix://"))
    yield made
    made.close()


def test_an_exchange_over_tls(front: TlsFront, space: str) -> None:
    """S4.27: send, a wait that is woken, drain and commit, with a certificate that the URL says to trust."""
    url = f"rediss://localhost:{front.port}/0?ssl_ca_certs={front.cert}"
    with Mailbox(url, space) as box:
        box.create_group(IDEAS)
        for person in ("ann", "bob"):
            box.add_member(IDEAS, person)
        timer = threading.Timer(0.2, box.send, (IDEAS, "ann", "x" * 300_000))
        timer.start()
        assert box.wait(IDEAS, "bob", 10)
        timer.join()
        drained = box.drain(IDEAS, "bob")
        assert [len(m.body) for m in drained.messages] == [300_000]
        assert drained.commit()


@pytest.mark.parametrize(
    ("host", "options", "says"),
    [
        ("localhost", "", "its certificate is not accepted: self-signed"),
        ("127.0.0.1", "?ssl_ca_certs={cert}", "its certificate is not accepted: IP address mismatch"),
    ],
)
def test_a_certificate_that_is_not_trusted_is_said(
    front: TlsFront, host: str, options: str, says: str
) -> None:
    """bus_down with the reason in words; nothing is sent."""
    door = RedisDoor(f"rediss://:hunter2@{host}:{front.port}/0{options.format(cert=front.cert)}")
    with pytest.raises(BusDownError, match=says) as caught:
        door.command("PING")
    assert "hunter2" not in f"{caught.value} {caught.value.fields}"
    door.close()


def test_a_command_says_it_too(front: TlsFront, tmp_path: Path) -> None:
    """`rt bus status` and `rt list` over TLS: they work, or say why not; no server is started."""
    trusted = {"RT_REDIS_URL": f"rediss://localhost:{front.port}/0?ssl_ca_certs={front.cert}"}
    done = rt("bus", "status", env=trusted)
    assert (done.returncode, "loses nothing that was acknowledged" in done.stdout) == (0, True), done
    done = rt("list", env={"RT_REDIS_URL": f"rediss://localhost:{front.port}/0"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "certificate is not accepted" in done.stderr
    assert "[bus_down]" in done.stderr

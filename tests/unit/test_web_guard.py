"""Which names `rt web` answers to, where it binds, what it says of that."""

from __future__ import annotations

from contextlib import closing

import pytest

from rt_config.errors import BadConfigError
from rt_moderator.web import serve
from rt_moderator.web.guard import ours

ANY = "0.0.0.0"  # noqa: S104 (compared, not bound)


@pytest.mark.parametrize(
    ("host", "listen", "answers"),
    [
        ("127.0.0.1:7420", "127.0.0.1", True),
        ("localhost:7420", "127.0.0.1", True),
        ("[::1]:7420", "::1", True),
        ("127.0.0.1:80", "127.0.0.1", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("evil.example:7420", "127.0.0.1", False),
        ("192.0.2.7:7420", "127.0.0.1", False),
        ("127.0.0.1.evil.example:7420", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("192.0.2.7:7420", ANY, True),
        ("[2001:db8::1]:7420", "::", True),
        ("evil.example:7420", ANY, False),
        ("box.example:7420", "box.example", True),
    ],
)
def test_a_name_that_was_made_to_point_here_is_refused(host: str, listen: str, *, answers: bool) -> None:
    """Issue 6: DNS rebinding. On loopback only its own names; elsewhere addresses, and the name it was told."""
    assert ours(host, listen, 7420) is answers


def test_a_place_says_what_it_exposes() -> None:
    """Issue 6: loopback exposes nothing; the link of any other address names one that can be opened."""
    with (
        closing(serve.bind("127.0.0.1", 0).socket) as here,
        closing(serve.bind("localhost", None).socket) as other,
    ):
        assert here.getsockname()[1] != other.getsockname()[1]
        place = serve.Place(here, "127.0.0.1", 1)
        assert place.exposes == ""
        assert place.url("/t/x").startswith("http://127.0.0.1:1/t/x?token=")
        everywhere = serve.Place(here, ANY, 1)
        assert "whoever can reach it" in everywhere.exposes
        assert everywhere.url().startswith("http://127.0.0.1:1/?token=")
        assert serve.Place(here, "2001:db8::1", 1).url().startswith("http://[2001:db8::1]:1/")
        assert place.known.token not in (place.known.cookie, place.known.form, everywhere.known.token)


def test_a_place_that_cannot_be_had_is_named() -> None:
    """A port that is taken, an address of somebody else: bad_config with the place."""
    with closing(serve.bind("127.0.0.1", 0).socket) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadConfigError, match=f"127.0.0.1:{port}: "):
            serve.bind("127.0.0.1", port)
    with pytest.raises(BadConfigError, match=r"192\.0\.2\.1"):
        serve.bind("192.0.2.1", 0)

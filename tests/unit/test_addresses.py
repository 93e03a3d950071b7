"""Addresses, slugs and message numbers: what they may look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_config.errors import BadAddressError, BadMessageIdError, BadSlugError
from rt_mailbox import addresses


@pytest.mark.parametrize("given_slug", ["a", "0", "a-b_c", "x" * 32, "a-"])
def test_slugs(given_slug: str) -> None:
    """1 to 32 of a-z, 0-9, _ and -, starting with a letter or digit."""
    assert addresses.slug(given_slug) == given_slug


@pytest.mark.parametrize(
    "given_slug", ["", "-a", "_a", "A", "a--b", "x" * 33, "a/b", "..", "a b", "ä", "a\n", "a\x1b"]
)
def test_no_slugs(given_slug: str) -> None:
    """Nothing that could leave a path, a session name or a line."""
    with pytest.raises(BadSlugError):
        addresses.slug(given_slug)


@given(st.text(max_size=40))
def test_a_slug_is_safe_everywhere(text: str) -> None:
    """Whatever is accepted is of those letters only, and splits no session name."""
    try:
        found = addresses.slug(text)
    except BadSlugError:
        return
    assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")
    assert addresses.session_of("rt-x", found).count("--") == 1


@pytest.mark.parametrize("address", ["group/x", "agent-deck/x--a", "participant/a", "a/b/c", "x/ä"])
def test_addresses(address: str) -> None:
    """Scheme and id, with any printing text in them."""
    assert addresses.check(address) == address


@pytest.mark.parametrize(
    "address", ["", "x", "/x", "x/", "a b/c", "a/b c", "a/b\n", "a/\x1b[2J", "a/\u00a0", "a/" + "x" * 511]
)
def test_no_addresses(address: str) -> None:
    """No scheme, no id, white space, control characters, or too long."""
    with pytest.raises(BadAddressError):
        addresses.check(address)


@pytest.mark.parametrize(("text", "seq"), [("m12", 12), ("12", 12), ("rt-x/m7", 7), ("group/x/m7", 7)])
def test_message_numbers(text: str, seq: int) -> None:
    """With or without the m, and with the table before it."""
    assert addresses.seq_of(text) == seq


@pytest.mark.parametrize(
    "text", ["", "m", "m0", "m-1", "12x", "mm1", "rt-x/", "m1/x", "m٣", "m" + "9" * 5000]
)
def test_no_message_numbers(text: str) -> None:
    """Anything else is told as it was given."""
    with pytest.raises(BadMessageIdError):
        addresses.seq_of(text)


def test_the_names_of_a_seat() -> None:
    """Group, person, session and address follow from table and slug (S4.4)."""
    assert addresses.group_of("rt-x") == "group/roundtable-rt-x"
    assert addresses.person_of("a") == "participant/a"
    assert addresses.deck_address(addresses.session_of("rt-x", "a")) == "agent-deck/rt-x--a"

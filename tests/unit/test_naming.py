"""What tables are called."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_mailbox.addresses import slug as checked_slug
from rt_moderator import naming

NOON = time.mktime((2026, 1, 2, 12, 34, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("topic", "slug"),
    [
        ("Should we move billing to event sourcing?", "move-billing-event-sourcing"),
        ("  CACHING  ", "caching"),
        ("The a an", "the-a-an"),
        ("Größe über alles", "große-uber-alles".replace("ß", "")),
        ("../../etc/passwd", "etc-passwd"),
        ("a:b c--d", "b-c-d"),
        ("日本語", "table"),
        ("?!", "table"),
        ("x" * 90, "x" * 40),
        ("one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"),
    ],
)
def test_a_topic_becomes_a_slug(topic: str, slug: str) -> None:
    """Only letters, digits and single dashes are left of a topic, at most 40 of them."""
    assert naming.topic_slug(topic) == slug


@given(st.text(max_size=200))
def test_no_topic_breaks_a_name(topic: str) -> None:
    """S4.4: whatever the topic is, the id fits into paths, session names and addresses, and holds no '--'."""
    found = naming.table_id(topic, NOON)
    assert re.fullmatch(r"rt-20260102-1234-[a-z0-9]+(-[a-z0-9]+)*", found)
    assert len(found) <= 60


def test_an_id_that_is_taken_gets_a_number() -> None:
    """S4.4: the second table of a name and minute is called -2, the third -3."""
    assert naming.table_id("caching", NOON) == "rt-20260102-1234-caching"
    assert naming.table_id("caching", NOON, 1) == "rt-20260102-1234-caching-2"
    assert naming.table_id("caching", NOON, 2) == "rt-20260102-1234-caching-3"


@pytest.mark.parametrize(
    "other", ["Ship  it", "ship it?", "SHIP IT!!", " ship\tit … ", "ship it .", "ship\nit"]
)
def test_topics_that_say_the_same_are_the_same(other: str) -> None:
    """S0.9: case, spaces and punctuation at the end make no other topic."""
    assert naming.topic_key(other) == naming.topic_key("Ship it")


def test_other_topics_are_others() -> None:
    """S0.9: punctuation within a topic counts."""
    assert naming.topic_key("ship it, now") != naming.topic_key("ship it now")


def test_names_of_a_seat() -> None:
    """S4.5: title, group path and host session follow the table's id; no seat can be called as the host is."""
    assert naming.session_title("rt-1", "skeptic") == "roundtable-rt-1-skeptic"
    assert naming.deck_group("rt-1") == "roundtable-rt-1"
    assert naming.deck_group("rt-1", "work/ideas") == "work/ideas/roundtable-rt-1"
    assert naming.host_session("rt-1") == "rt-1--_host"
    with pytest.raises(Exception, match="slug"):
        checked_slug(naming.HOST)

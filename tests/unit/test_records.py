"""Reading entries: bounds, field order, ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_mailbox import groups, records

if TYPE_CHECKING:
    from rt_mailbox.records import Row


def rows(*lengths: int, sender: str = "ann") -> Iterator[Row]:
    """Messages of these lengths."""
    for n, length in enumerate(lengths, 1):
        yield n, sender, "note", 0, "", "", "x" * length, 0, 0


def seqs(found: tuple[list[Row], bool]) -> tuple[list[int], bool]:
    """The seqs taken, and whether they were all."""
    return [row[0] for row in found[0]], found[1]


@pytest.mark.parametrize(
    ("lengths", "most", "most_chars", "expected"),
    [
        ((), 9, 9, ([], True)),
        ((1, 1, 1), 2, 0, ([1, 2], False)),
        ((1, 1), 2, 0, ([1, 2], True)),
        ((5, 5, 1), 9, 10, ([1, 2], False)),
        ((99, 1), 9, 10, ([1], False)),
        ((99,), 9, 10, ([1], True)),
        ((1, 99), 1, 10, ([1], False)),
        ((1, 1, 1), 0, 0, ([1, 2, 3], True)),
    ],
)
def test_bounds(
    lengths: tuple[int, ...], most: int, most_chars: int, expected: tuple[list[int], bool]
) -> None:
    """At most so many messages and characters, at least one message, and whether that was all."""
    assert seqs(records.bounded(rows(*lengths), "bob", most, most_chars)) == expected


def test_own_messages_neither_count_nor_are_taken() -> None:
    """A reader's own are passed over, and after the last foreign one nothing is left."""
    assert seqs(records.bounded(rows(99, 99), "ann", 1, 1)) == ([], True)


@given(st.lists(st.integers(0, 20), max_size=12), st.integers(0, 6), st.integers(0, 40))
def test_bounds_take_a_prefix_that_cannot_be_longer(lengths: list[int], most: int, most_chars: int) -> None:
    """What is taken is a prefix within the bounds (or one message), and one more would break a bound."""
    taken, complete = records.bounded(rows(*lengths), "bob", most, most_chars)
    count = len(taken)
    assert [len(row[6]) for row in taken] == lengths[:count]
    assert complete == (count == len(lengths))
    fits = (not most or count <= most) and (not most_chars or sum(lengths[:count]) <= most_chars)
    assert fits or count == 1
    if not complete:
        more = sum(lengths[: count + 1])
        assert (most and count + 1 > most) or (most_chars and more > most_chars)


def test_fields_are_found_in_any_order() -> None:
    """An entry that another version wrote with more fields in another order is read all the same."""
    values = {
        "from": "ann",
        "kind": "note",
        "round": "2",
        "turn": "t",
        "subject": "s",
        "body": "b",
        "at": "5",
        "eligible": "3",
    }
    written = ["7-0", [part for pair in values.items() for part in pair]]
    other = ["7-0", ["new", "x", *(part for pair in reversed(values.items()) for part in pair)]]
    assert records.parsed(written) == records.parsed(other) == (7, "ann", "note", 2, "t", "s", "b", 5, 3)
    assert records.message(other)["eligible_count"] == 3


def test_ranges_and_intervals() -> None:
    """What scripts give as text."""
    assert records.parse_ranges("") == []
    assert records.parse_ranges("3-5,7-7") == [(3, 5), (7, 7)]
    assert groups.spans("1-4,9-") == ((1, 4), (9, None))


@pytest.mark.parametrize(
    ("member", "cursor", "counted"),
    [("1-", 5, 1), ("1-", 4, 0), ("1-4", 9, 0), ("6-", 9, 0), ("1-4,5-5", 9, 1)],
)
def test_only_those_who_were_members_then_count_as_readers(member: str, cursor: int, counted: int) -> None:
    """A reader counts for message 5 when they were a member then and their cursor has passed it."""
    people = [{"person": "bob", "member": member, "cursor": cursor}]
    assert groups.read_by({"seq": 5, "from": "ann"}, people) == counted
    assert groups.read_by({"seq": 5, "from": "bob"}, people) == 0

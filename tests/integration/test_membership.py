"""Joining, leaving and joining again: what a person sees, and what is unread to them."""

from __future__ import annotations

import pytest

from rt_config.errors import AlreadyMemberError
from rt_mailbox.mailbox import Mailbox
from tests.integration.bus_fixtures import (
    IDEAS,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    module_server,  # noqa: F401
)


def seqs(box: Mailbox, person: str) -> list[int]:
    """Drain everything as `person`, and return the seqs."""
    drained = box.drain(IDEAS, person, max_messages=0, max_chars=0)
    drained.commit()
    return [m.seq for m in drained.messages]


def say(box: Mailbox, count: int, person: str = "ann") -> None:
    """Send some messages."""
    for _ in range(count):
        box.send(IDEAS, person, "hello")


@pytest.mark.parametrize(
    ("history", "seen"),
    [
        ("all", [1, 2, 3, 4, 5]),
        ("none", [5]),
        ("last:2", [3, 4, 5]),
        ("last:0", [5]),
        ("last:99", [1, 2, 3, 4, 5]),
    ],
)
def test_history_decides_what_a_new_member_sees(box: Mailbox, history: str, seen: list[int]) -> None:
    """S4.5: a member joins with all earlier messages unread, with none, or with the last N."""
    say(box, 4)
    box.add_member(IDEAS, "dee", history)
    say(box, 1)
    assert box.unread(IDEAS, "dee") == len(seen)
    assert [m.seq for m in box.history(IDEAS, "dee")] == seen
    assert seqs(box, "dee") == seen


def test_all_is_the_default(box: Mailbox) -> None:
    """Without a history a new member sees everything."""
    say(box, 2)
    box.add_member(IDEAS, "dee")
    assert seqs(box, "dee") == [1, 2]


def test_eligible_only_from_the_join_on(box: Mailbox) -> None:
    """Earlier messages that a new member reads do not count them among their readers."""
    say(box, 1)
    box.add_member(IDEAS, "dee")
    seqs(box, "dee")
    [message] = box.history(IDEAS)
    assert (message.eligible_count, box.read_count(IDEAS, message)) == (2, 0)


def test_leaving_stops_new_messages_and_keeps_the_old(box: Mailbox) -> None:
    """Who has left still reads what was said before, and nothing after."""
    say(box, 2)
    box.remove_member(IDEAS, "bob")
    say(box, 2)
    assert seqs(box, "bob") == [1, 2]
    assert [m.seq for m in box.history(IDEAS, "bob")] == [1, 2]
    assert box.unread(IDEAS, "bob") == 0


@pytest.mark.parametrize("drain_between", [False, True])
def test_rejoining_with_all_closes_the_gap(box: Mailbox, drain_between: bool) -> None:
    """What was said in between becomes visible and unread, also when the person drained while they were away."""
    say(box, 2)
    seqs(box, "bob")
    box.remove_member(IDEAS, "bob")
    say(box, 3)
    if drain_between:
        assert seqs(box, "bob") == []
    box.add_member(IDEAS, "bob", "all")
    say(box, 1)
    assert box.unread(IDEAS, "bob") == 4
    assert seqs(box, "bob") == [3, 4, 5, 6]


def test_a_reader_who_left_skips_nothing_of_the_gap(box: Mailbox) -> None:
    """A drain of somebody who has left does not move over what a later join with all opens, even when committed after."""
    say(box, 2)
    box.remove_member(IDEAS, "bob")
    say(box, 3)
    drained = box.drain(IDEAS, "bob")
    box.add_member(IDEAS, "bob", "all")
    drained.commit()
    assert seqs(box, "bob") == [3, 4, 5]


def test_rejoining_with_none_leaves_the_gap_hidden(box: Mailbox) -> None:
    """What was said in between is never unread, and not in that person's history."""
    say(box, 2)
    box.remove_member(IDEAS, "bob")
    say(box, 3)
    box.add_member(IDEAS, "bob", "none")
    say(box, 1)
    assert box.unread(IDEAS, "bob") == 3
    assert [m.seq for m in box.history(IDEAS, "bob")] == [1, 2, 6]
    assert seqs(box, "bob") == [1, 2, 6]


def test_rejoining_with_the_last_some_opens_the_gap_that_far(box: Mailbox) -> None:
    """last:N shows N messages of the gap, and what was visible before stays so."""
    say(box, 2)
    box.remove_member(IDEAS, "bob")
    say(box, 3)
    box.add_member(IDEAS, "bob", "last:2")
    assert seqs(box, "bob") == [1, 2, 4, 5]


def test_membership_is_kept_as_intervals_of_seq(box: Mailbox) -> None:
    """`members` tells since when and until when somebody could see and was a member."""
    say(box, 2)
    box.remove_member(IDEAS, "bob")
    say(box, 2)
    box.add_member(IDEAS, "bob", "none")
    bob = box.members(IDEAS)[1]
    assert (bob.person, bob.active) == ("bob", True)
    assert bob.visible == bob.member == ((1, 2), (5, None))


def test_an_empty_membership_leaves_no_trace(box: Mailbox) -> None:
    """Leaving before anything was said, and joining again, is as if nothing had happened."""
    before = box.members(IDEAS)
    box.remove_member(IDEAS, "bob")
    assert not box.members(IDEAS)[1].active
    box.add_member(IDEAS, "bob")
    assert box.members(IDEAS) == before


def test_a_second_join_is_refused(box: Mailbox) -> None:
    """already_member, and nothing changes."""
    before = box.members(IDEAS)
    with pytest.raises(AlreadyMemberError):
        box.add_member(IDEAS, "bob", "none")
    assert box.members(IDEAS) == before


def test_own_messages_are_never_unread(box: Mailbox) -> None:
    """Not when the sender had read everything, nor when others spoke before and after."""
    say(box, 1)
    assert box.unread(IDEAS, "ann") == 0
    say(box, 2, "bob")
    say(box, 1)
    say(box, 1, "bob")
    assert box.unread(IDEAS, "ann") == 3
    assert seqs(box, "ann") == [2, 3, 5]
    assert box.unread(IDEAS, "ann") == 0


def test_own_messages_stay_read_after_leaving_and_rejoining(box: Mailbox) -> None:
    """A rejoin with all shows one's own old messages in the history, and as unread never."""
    say(box, 1, "bob")
    say(box, 2)
    box.remove_member(IDEAS, "ann")
    say(box, 1, "bob")
    box.add_member(IDEAS, "ann", "all")
    assert [m.seq for m in box.history(IDEAS, "ann")] == [1, 2, 3, 4]
    assert (box.unread(IDEAS, "ann"), seqs(box, "ann")) == (2, [1, 4])


def test_own_seqs_are_forgotten_at_commit(box: Mailbox) -> None:
    """The set of own seqs above the cursor is trimmed: a long discussion does not make it grow."""
    for _ in range(20):
        say(box, 1, "bob")
        say(box, 2)
        seqs(box, "ann")
    own = [name for name in box.door.command("KEYS", f"rt:{{{box.space}}}:own:*") if name.endswith(" ann")]
    assert own == []

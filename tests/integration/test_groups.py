"""Groups: one dense record, senders, keys, refusals (S4.5: a durable group mailbox with a record of all that was said)."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from rt_config.errors import (
    BadAddressError,
    BodyTooLargeError,
    EmptyBodyError,
    GroupClosedError,
    GroupExistsError,
    IdempotencyConflictError,
    NotAMemberError,
    RoundtableError,
    UnknownGroupError,
    UnknownPersonError,
    UsageError,
)
from rt_mailbox import keys
from rt_mailbox.mailbox import Mailbox
from tests.integration.bus_fixtures import (
    IDEAS,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    module_server,  # noqa: F401
)

_SENDER = """
import sys
from rt_mailbox import groups
from rt_mailbox.hot import HotDoor
url, space, group, person = sys.argv[1:]
door = HotDoor(url)
print("ready", flush=True)
sys.stdin.readline()
print(*(groups.send(door, space, group, person, f"{person} {i}")["seq"] for i in range(25)))
"""


def test_seqs_are_dense_under_eight_concurrent_processes(box: Mailbox, bus_url: str) -> None:
    """Eight processes that send at once get the seqs 1 to 200, each one rising, and each message is where its seq says."""
    argv = [sys.executable, "-c", _SENDER, bus_url, box.space, IDEAS]
    people = [f"p{n}" for n in range(8)]
    for person in people:
        box.add_member(IDEAS, person)
    senders = [
        subprocess.Popen([*argv, person], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for person in people
    ]
    for sender in senders:
        assert sender.stdout
        assert sender.stdout.readline() == "ready\n"
    seqs = {
        person: [int(word) for word in sender.communicate("go\n", timeout=30)[0].split()]
        for person, sender in zip(people, senders, strict=True)
    }
    assert sorted(seq for own in seqs.values() for seq in own) == list(range(1, 201))
    assert all(own == sorted(own) for own in seqs.values())
    found = {m.seq: (m.sender, m.body) for m in box.history(IDEAS)}
    assert found == {seq: (p, f"{p} {i}") for p, own in seqs.items() for i, seq in enumerate(own)}
    assert [name for name, _ in box.door.command("XRANGE", keys.key(box.space, "log", IDEAS), "-", "+")] == [
        f"{seq}-0" for seq in range(1, 201)
    ]


def test_send_tells_seq_time_and_who_may_read_it(box: Mailbox) -> None:
    """A send returns seq, server time and the members at that moment without the sender."""
    sent = box.send(IDEAS, "ann", "hello", subject="first")
    seconds, _ = box.door.command("TIME")
    assert (sent.seq, sent.eligible_count, sent.duplicate) == (1, 2, False)
    assert abs(sent.sent_at / 1000 - int(seconds)) < 5
    [message] = box.history(IDEAS)
    assert message == (1, "ann", "note", 0, "", "first", "hello", sent.sent_at, 2)


def test_counts_stay_what_they_were(box: Mailbox) -> None:
    """Who joins or leaves later changes neither eligible_count nor read_count."""
    box.send(IDEAS, "ann", "hello")
    box.drain(IDEAS, "bob").commit()
    box.remove_member(IDEAS, "bob")
    box.remove_member(IDEAS, "cy")
    box.add_member(IDEAS, "dee")
    box.drain(IDEAS, "dee").commit()
    [message] = box.history(IDEAS)
    assert message.eligible_count == 2
    assert box.read_count(IDEAS, message) == 1


def test_read_count_counts_readers_and_never_the_sender(box: Mailbox) -> None:
    """read_count is how many of the eligible have read the message."""
    box.send(IDEAS, "ann", "hello")
    [message] = box.history(IDEAS)
    counts = [box.read_count(IDEAS, message)]
    for person in ("bob", "ann", "cy"):
        box.drain(IDEAS, person).commit()
        counts.append(box.read_count(IDEAS, message))
    assert counts == [0, 1, 1, 2]


def test_same_key_returns_the_first(box: Mailbox) -> None:
    """The same key and body of the same person is stored once and returns the first seq, time and count."""
    first = box.send(IDEAS, "ann", "hello", key="k")
    box.add_member(IDEAS, "dee")
    again = box.send(IDEAS, "ann", "hello", key="k")
    assert again == first._replace(duplicate=True)
    assert len(list(box.history(IDEAS))) == 1


def test_same_key_with_another_body_is_a_conflict(box: Mailbox) -> None:
    """The same key with another body is refused, names the first seq, and stores nothing."""
    box.send(IDEAS, "ann", "hello", key="k")
    with pytest.raises(IdempotencyConflictError) as caught:
        box.send(IDEAS, "ann", "something else", key="k")
    assert (caught.value.seq, len(list(box.history(IDEAS)))) == (1, 1)


def test_a_repeat_is_answered_after_the_sender_left_and_the_group_closed(box: Mailbox) -> None:
    """A send that was stored, and whose answer was lost, is told as stored; a new one is refused."""
    first = box.send(IDEAS, "ann", "hello", key="k")
    box.remove_member(IDEAS, "ann")
    assert box.send(IDEAS, "ann", "hello", key="k") == first._replace(duplicate=True)
    box.door.command("HSET", keys.key(box.space, "group", IDEAS), "state", "closed")
    assert box.send(IDEAS, "ann", "hello", key="k") == first._replace(duplicate=True)
    with pytest.raises(GroupClosedError):
        box.send(IDEAS, "bob", "hello")


def test_keys_belong_to_group_and_sender(box: Mailbox) -> None:
    """The same key of another person, or in another group, is another key."""
    box.create_group("group/other")
    box.add_member("group/other", "ann")
    sent = [
        box.send(group, who, who, key="k")
        for group, who in ((IDEAS, "ann"), (IDEAS, "bob"), ("group/other", "ann"))
    ]
    assert [(s.seq, s.duplicate) for s in sent] == [(1, False), (2, False), (1, False)]


def test_keys_are_one_under_concurrent_retries(box: Mailbox, bus_url: str) -> None:
    """Ten threads that repeat one send with its key store one message."""
    found = []

    def repeat() -> None:
        with Mailbox(bus_url, box.space) as mine:
            found.append(mine.send(IDEAS, "ann", "hello", key="k"))

    threads = [threading.Thread(target=repeat) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(s.duplicate for s in found) == [False] + [True] * 9
    assert {s.seq for s in found} == {1}


def _age(box: Mailbox, days: float) -> None:
    box.door.command("ZINCRBY", keys.key(box.space, "idem_age", IDEAS), int(-days * 86_400_000), "ann\nold")


def test_keys_expire_after_seven_days(box: Mailbox) -> None:
    """A key older than 7 days is dropped by the next send with a key; a younger one is kept."""
    box.send(IDEAS, "ann", "hello", key="old")
    _age(box, 6.9)
    box.send(IDEAS, "ann", "more", key="new")
    assert box.send(IDEAS, "ann", "hello", key="old").duplicate
    _age(box, 0.2)
    box.send(IDEAS, "ann", "and more", key="newer")
    assert not box.send(IDEAS, "ann", "hello", key="old").duplicate


def test_only_the_last_ten_thousand_keys_are_kept(box: Mailbox) -> None:
    """The key before the last 10,000 of a group is dropped, and the store of keys stays at that size."""
    box.send(IDEAS, "ann", "hello", key="old")
    names = [f"bob\n{n}" for n in range(9_999)]
    now = box.door.command("ZSCORE", keys.key(box.space, "idem_age", IDEAS), "ann\nold")
    later = int(float(now)) + 1
    box.door.command("HSET", keys.key(box.space, "idem", IDEAS), *(w for n in names for w in (n, "1 00")))
    box.door.command("ZADD", keys.key(box.space, "idem_age", IDEAS), *(w for n in names for w in (later, n)))
    assert box.send(IDEAS, "ann", "hello", key="old").duplicate
    box.send(IDEAS, "ann", "more", key="new")
    assert not box.send(IDEAS, "ann", "hello", key="old").duplicate
    assert box.door.command("HLEN", keys.key(box.space, "idem", IDEAS)) == 10_000
    assert box.door.command("ZCARD", keys.key(box.space, "idem_age", IDEAS)) == 10_000


def test_a_group_is_created_explicitly_and_once(box: Mailbox) -> None:
    """Sending to a group that nobody created is an error, and so is creating one twice."""
    with pytest.raises(UnknownGroupError):
        box.send("group/typo", "ann", "hello")
    with pytest.raises(GroupExistsError):
        box.create_group(IDEAS)
    assert [m.person for m in box.members(IDEAS)] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("address", ["ideas", "group/", "group/with space", "agent-deck/x", "group/a\nb", ""])
def test_a_group_has_the_address_of_a_group(box: Mailbox, address: str) -> None:
    """A group's address reads group/<name>; anything else is bad_address."""
    with pytest.raises(BadAddressError):
        box.create_group(address)


def test_every_refusal_has_its_error_code(box: Mailbox) -> None:
    """Unknown group, unknown person and somebody who has left are three different errors, for senders and readers."""
    box.add_member(IDEAS, "dee")
    box.remove_member(IDEAS, "dee")
    for call, code in (
        (lambda: box.send(IDEAS, "nobody", "x"), UnknownPersonError),
        (lambda: box.send(IDEAS, "dee", "x"), NotAMemberError),
        (lambda: box.drain("group/typo", "ann"), UnknownGroupError),
        (lambda: box.drain(IDEAS, "nobody"), UnknownPersonError),
        (lambda: box.members("group/typo"), UnknownGroupError),
        (lambda: box.history("group/typo"), UnknownGroupError),
        (lambda: box.history(IDEAS, "nobody"), UnknownPersonError),
        (lambda: box.wait("group/typo", "ann", 0), UnknownGroupError),
        (lambda: box.remove_member(IDEAS, "nobody"), UnknownPersonError),
        (lambda: box.remove_member(IDEAS, "dee"), NotAMemberError),
        (lambda: box.add_member(IDEAS, "erin", "lately"), UsageError),
        (lambda: box.add_member(IDEAS, "with\nbreak"), UsageError),
    ):
        with pytest.raises(RoundtableError) as caught:
            call()
        assert type(caught.value) is code
    assert list(box.history(IDEAS)) == []


def test_a_body_of_one_mebibyte_is_kept_whole(box: Mailbox) -> None:
    """The limit is in bytes and includes itself."""
    body = "ä" * (512 * 1024)
    box.send(IDEAS, "ann", body)
    [message] = box.drain(IDEAS, "bob").messages
    assert message.body == body


def test_a_larger_body_is_refused_and_nothing_is_stored(box: Mailbox) -> None:
    """One byte more is body_too_large, which names size and limit."""
    with pytest.raises(BodyTooLargeError) as caught:
        box.send(IDEAS, "ann", "x" * (1024 * 1024 + 1))
    assert (caught.value.size, caught.value.limit) == (1024 * 1024 + 1, 1024 * 1024)
    assert list(box.history(IDEAS)) == []


@pytest.mark.parametrize("body", ["", " \n\t"])
def test_an_empty_body_is_refused(box: Mailbox, body: str) -> None:
    """A body without text is empty_body; nothing is stored."""
    with pytest.raises(EmptyBodyError):
        box.send(IDEAS, "ann", body)
    assert list(box.history(IDEAS)) == []


def test_every_byte_comes_back(box: Mailbox) -> None:
    """All bytes, UTF-8 or not, control characters and nul among them, come back as they went, in every text field."""
    text = bytes(range(256)).decode("utf-8", "surrogateescape") + "\r\n$5\r\n*2\r\n🙂\x1b[2J"
    sent = box.send(IDEAS, "ann", text, subject=text, key=text)
    [message] = box.drain(IDEAS, "bob").messages
    assert (message.subject, message.body) == (text, text)
    assert box.send(IDEAS, "ann", text, subject=text, key=text) == sent._replace(duplicate=True)


def test_half_a_surrogate_pair_is_refused(box: Mailbox) -> None:
    """Text that no bytes stand for is a usage error, not a crash."""
    with pytest.raises(UsageError):
        box.send(IDEAS, "ann", "half \ud83d")


def test_persons_and_groups_never_share_a_key(box: Mailbox) -> None:
    """Names that run together to the same text stay apart: own messages of one are not hidden from the other."""
    for group, person in (("group/x", "y:z"), ("group/x:y", "z")):
        box.create_group(group)
        box.add_member(group, person)
        box.add_member(group, "ann")
    box.send("group/x", "ann", "read")
    box.send("group/x", "y:z", "own, above the cursor")
    for _ in range(2):
        box.send("group/x:y", "ann", "for z")
    assert box.unread("group/x:y", "z") == 2

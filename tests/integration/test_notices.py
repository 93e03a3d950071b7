"""Subscribers: one level-triggered notice while a person has unread messages (S4.6, S4.23)."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from rt_config.errors import (
    AlreadySubscriberError,
    BadAddressError,
    GroupClosedError,
    HoldExceededError,
    LeaseLostError,
    NotAMemberError,
    TableGroupError,
    UnknownGroupError,
    UnknownMessageError,
    UnknownPersonError,
    UnknownSubscriberError,
)
from rt_mailbox import keys
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from rt_mailbox.messages import Mail
from tests.integration.bus_fixtures import (
    GROUP,
    IDEAS,
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    laid_table,  # noqa: F401
    lay,
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

DESK = "agent-deck/desk"


@pytest.fixture(name="desk")
def a_subscriber(box: Mailbox) -> Mailbox:
    """The ideas group, with bob's notices going to DESK."""
    assert box.add_subscriber(IDEAS, DESK, "bob", home=box.space)
    return box


def notice(box: Mailbox, **how: Any) -> Mail:
    """The one notice that is due."""
    [mail] = box.recv(DESK, max_messages=10, **how)
    assert mail.kind == "notice"
    return mail


def pass_by(box: Mailbox, seconds: float) -> None:
    """Let that much time go by for the notice."""
    name = keys.key(box.space, "notice", f"{DESK} {IDEAS}")
    for field in ("until", "due", "leased_at"):
        if box.door.command("HEXISTS", name, field):
            box.door.command("HINCRBY", name, field, int(-seconds * 1000))


def test_a_notice_says_what_is_unread(desk: Mailbox) -> None:
    """Group, person, count, first and last seq and senders; its id is made of them."""
    desk.send(IDEAS, "ann", "one")
    desk.send(IDEAS, "bob", "mine")
    desk.send(IDEAS, "cy", "two")
    desk.send(IDEAS, "bob", "mine too")
    mail = notice(desk)
    assert mail.id == f"notice/{IDEAS}/bob/3"
    assert mail.body.splitlines() == [
        "Action: group_message_available",
        f"Group-Address: {IDEAS}",
        "As-Person: bob",
        "Unread: 2",
        "First-Seq: 1",
        "Last-Seq: 3",
        "Senders: cy, ann",
    ]
    assert (mail.subject, mail.address, mail.deliveries) == (f"Group mailbox update: {IDEAS}", DESK, 1)


def test_first_and_last_leave_own_messages_out(desk: Mailbox) -> None:
    """Wherever they stand, and however many."""
    for sender in ("ann", "bob", "ann"):
        desk.send(IDEAS, sender, "x")
    desk.drain(IDEAS, "bob", max_messages=1).commit()
    for sender in ("bob", "bob", "cy", "bob", "bob"):
        desk.send(IDEAS, sender, "x")
    lines = notice(desk).body.splitlines()
    assert lines[3:] == ["Unread: 2", "First-Seq: 3", "Last-Seq: 6", "Senders: cy, ann"]


def test_a_long_list_of_senders_ends(desk: Mailbox) -> None:
    """Of many unread messages the latest tell the senders; that there may be more is said."""
    desk.send(IDEAS, "ann", "x")
    for _ in range(80):
        desk.send(IDEAS, "cy", "x")
    assert notice(desk).body.splitlines()[3:] == [
        "Unread: 81",
        "First-Seq: 1",
        "Last-Seq: 81",
        "Senders: cy, …",
    ]


def test_many_messages_are_one_notice(desk: Mailbox) -> None:
    """Weak points 12, 14 and 15: however many come, before and while it is leased; nothing for the drained."""
    for _ in range(3):
        desk.send(IDEAS, "ann", "x")
    mail = notice(desk)
    desk.send(IDEAS, "ann", "x")
    assert desk.recv(DESK) == []
    desk.drain(IDEAS, "bob").commit()
    desk.ack(mail.id, mail.lease)
    assert desk.recv(DESK) == []
    assert not desk.wait_mail(DESK, 0)


def test_what_is_left_unread_is_noticed_again_after_a_minute(desk: Mailbox) -> None:
    """An ack without reading is believed for 60 s."""
    desk.send(IDEAS, "ann", "x")
    mail = notice(desk)
    desk.ack(mail.id, mail.lease)
    pass_by(desk, 58)
    assert desk.recv(DESK) == []
    pass_by(desk, 3)
    assert notice(desk).id == mail.id


def test_a_newer_message_is_noticed_at_once(desk: Mailbox) -> None:
    """After an ack, a failure or a deferral (weak point 13), though it came while the notice was leased."""
    for settle in (
        desk.ack,
        desk.fail,
        lambda mail_id, lease: desk.defer(mail_id, lease, seconds=1000),
    ):
        desk.send(IDEAS, "ann", "x")
        mail = notice(desk)
        settle(mail.id, mail.lease)
        assert desk.recv(DESK) == []
        desk.send(IDEAS, "ann", "y")
        mail = notice(desk)
        desk.send(IDEAS, "ann", "z")
        desk.ack(mail.id, mail.lease)
        again = notice(desk)
        assert again.id > mail.id
        desk.ack(again.id, again.lease)


def test_an_expired_notice_is_due_again(desk: Mailbox) -> None:
    """As often as it takes: never counted, never dead, another token each time; the old one serves no more."""
    desk.send(IDEAS, "ann", "x")
    tokens = set()
    mail = notice(desk)
    pass_by(desk, 400)
    for _ in range(6):
        mail = notice(desk)
        tokens.add(mail.lease)
        assert mail.deliveries == 1
        pass_by(desk, 400)
    assert len(tokens) == 6
    last = notice(desk)
    with pytest.raises(LeaseLostError):
        desk.ack(mail.id, mail.lease)
    desk.ack(last.id, last.lease)
    assert desk.dead_mail() == ([], "")
    assert desk.door.command("HLEN", keys.key(desk.space, "notices")) == 0


def test_a_released_notice_is_due_at_once(desk: Mailbox) -> None:
    """Until everything is read: then it is not there any more."""
    desk.send(IDEAS, "ann", "x")
    for _ in range(3):
        mail = notice(desk)
        desk.release(mail.id, mail.lease)
    desk.mark_read(IDEAS, "bob")
    assert desk.recv(DESK) == []


def test_the_named_holder_gets_its_notice_back(desk: Mailbox) -> None:
    """The same token, told with what is unread by now; nobody else gets it."""
    desk.send(IDEAS, "ann", "x")
    mail = notice(desk, holder="me")
    assert desk.recv(DESK, holder="you") == []
    desk.send(IDEAS, "ann", "y")
    again = notice(desk, holder="me")
    assert (again.lease, again.id) == (mail.lease, f"notice/{IDEAS}/bob/2")
    desk.ack(mail.id, mail.lease)
    assert desk.recv(DESK, holder="me") == []


def test_a_notice_is_renewed_within_bounds(desk: Mailbox) -> None:
    """Like any lease."""
    desk.send(IDEAS, "ann", "x")
    mail = notice(desk)
    assert desk.renew(mail.id, mail.lease, 1000) > 990
    pass_by(desk, 900)
    assert desk.recv(DESK) == []
    pass_by(desk, 3000)
    with pytest.raises(HoldExceededError):
        desk.renew(mail.id, mail.lease)
    assert notice(desk).lease != mail.lease


def test_notices_and_mail_come_in_one_order(desk: Mailbox) -> None:
    """A notice stands where its first unread message does."""
    desk.send_mail(DESK, "ann", "before")
    time.sleep(0.002)
    desk.send(IDEAS, "ann", "x")
    time.sleep(0.002)
    desk.send_mail(DESK, "ann", "after")
    assert [m.kind for m in desk.recv(DESK, max_messages=3)] == ["mail", "notice", "mail"]


def test_a_moderator_s_own_posts_are_no_news_to_it(desk: Mailbox) -> None:
    """S4.6: a send from the notify address counts as that person: no notice, not unread, in the record under their name."""
    sent = desk.send(IDEAS, DESK, "from the desk")
    assert desk.recv(DESK) == []
    assert desk.unread(IDEAS, "bob") == 0
    assert desk.unread(IDEAS, "ann") == 1
    [message] = desk.history(IDEAS)
    assert (message.sender, sent.eligible_count) == ("bob", 2)


def test_a_key_means_the_same_from_either_name(desk: Mailbox) -> None:
    """S4.6: the address and its person are one sender."""
    first = desk.send(IDEAS, DESK, "x", key="k")
    again = desk.send(IDEAS, "bob", "x", key="k")
    assert (again.seq, again.duplicate) == (first.seq, True)


def test_an_address_that_is_no_subscriber_is_nobody(box: Mailbox) -> None:
    """Only a subscription makes an address a person."""
    with pytest.raises(UnknownPersonError):
        box.send(IDEAS, DESK, "x")


def test_nothing_unread_gives_nothing(desk: Mailbox) -> None:
    """And asking makes no key but the clock."""
    before = dump(desk.door, desk.space)
    assert desk.recv(DESK) == []
    after = dump(desk.door, desk.space)
    assert {k: v for k, v in after.items() if k != "space"} == {
        k: v for k, v in before.items() if k != "space"
    }


def test_a_message_that_was_there_before_is_noticed(box: Mailbox) -> None:
    """Weak point 18: it does not matter when the subscription was made."""
    box.send(IDEAS, "ann", "x")
    box.add_subscriber(IDEAS, DESK, "bob", home=box.space)
    assert notice(box).id == f"notice/{IDEAS}/bob/1"


def test_subscribing_twice(desk: Mailbox) -> None:
    """The same changes nothing; another person is refused; another address is another subscriber."""
    assert not desk.add_subscriber(IDEAS, DESK, "bob", home=desk.space)
    with pytest.raises(AlreadySubscriberError):
        desk.add_subscriber(IDEAS, DESK, "ann", home=desk.space)
    assert desk.add_subscriber(IDEAS, "agent-deck/second", "bob", home=desk.space)
    assert desk.subscribers(IDEAS) == {DESK: "bob", "agent-deck/second": "bob"}
    desk.send(IDEAS, "ann", "x")
    assert len(desk.recv([DESK, "agent-deck/second"], max_messages=9)) == 2


def test_an_ended_subscription_is_silent(desk: Mailbox) -> None:
    """A leased notice is leased no more; the address is nobody again."""
    desk.send(IDEAS, "ann", "x")
    mail = notice(desk)
    desk.remove_subscriber(IDEAS, DESK, home=desk.space)
    with pytest.raises(LeaseLostError):
        desk.ack(mail.id, mail.lease)
    pass_by(desk, 400)
    assert desk.recv(DESK) == []
    assert desk.subscribers(IDEAS) == {}
    with pytest.raises(UnknownSubscriberError):
        desk.remove_subscriber(IDEAS, DESK, home=desk.space)


def test_who_may_subscribe(box: Mailbox) -> None:
    """A personal address, for a member, to a group that is there."""
    box.remove_member(IDEAS, "cy")
    wrong: list[tuple[tuple[str, str, str], type[Exception]]] = [
        ((IDEAS, "group/other", "bob"), BadAddressError),
        ((IDEAS, "nowhere", "bob"), BadAddressError),
        (("group/none", DESK, "bob"), UnknownGroupError),
        ((IDEAS, DESK, "zoe"), UnknownPersonError),
        ((IDEAS, DESK, "cy"), NotAMemberError),
    ]
    for args, error in wrong:
        with pytest.raises(error):
            box.add_subscriber(*args, home=box.space)
    with pytest.raises(UnknownGroupError):
        box.subscribers("group/none")
    assert box.subscribers(IDEAS) == {}


def test_a_send_costs_the_same_with_a_hundred_subscribers(box: Mailbox) -> None:
    """No fan-out: one hint more, in the same script, however many there are."""

    def commands() -> int:
        before = int(dict(_stats(box))["total_commands_processed"])
        box.send(IDEAS, "ann", "x")
        return int(dict(_stats(box))["total_commands_processed"]) - before

    commands()
    alone = commands()
    box.add_subscriber(IDEAS, "agent-deck/first", "bob", home=box.space)
    one = commands()
    for n in range(100):
        box.add_subscriber(IDEAS, f"agent-deck/n{n}", "bob", home=box.space)
    assert one <= alone + 6
    assert commands() <= one + 1  # a hint of the same millisecond needs one command more


def _stats(box: Mailbox) -> list[tuple[str, str]]:
    found = box.door.command("INFO", "stats")
    if isinstance(found, dict):
        return [(k, str(v)) for k, v in found.items()]
    return [tuple(line.split(":", 1)) for line in found.splitlines() if ":" in line]


def test_racing_readers_of_one_notice(desk: Mailbox, bus_url: str) -> None:
    """Never doubled: of eight that ask at once, one gets it."""
    desk.send(IDEAS, "ann", "x")
    found: list[Mail] = []

    def ask() -> None:
        with Mailbox(bus_url, desk.space) as mine:
            found.extend(mine.recv(DESK))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1


def test_wait_ends_with_the_message_and_with_the_minute(desk: Mailbox) -> None:
    """A notice ends a wait like mail does: when a message comes, and when an acknowledged one repeats."""
    timer = threading.Timer(0.1, lambda: desk.send(IDEAS, "ann", "x"))
    timer.start()
    assert desk.wait_mail(DESK, 10)
    timer.join()
    mail = notice(desk)
    desk.ack(mail.id, mail.lease)
    pass_by(desk, 59.8)
    assert not desk.wait_mail(DESK, 0)
    assert desk.wait_mail(DESK, 10)


def two_spaces(door: RedisDoor, space: str, box: Mailbox) -> Table:
    """A table beside the default space, whose moderator is told at DESK, which is asked from the default space."""
    table = lay(door, f"t-{space}")
    table.box.add_subscriber(GROUP, DESK, "moderator", home=box.space)
    return table


def test_notices_of_several_spaces_come_to_one_address(desk: Mailbox, door: RedisDoor, space: str) -> None:
    """Asked space by space; each is settled under the id it was given with, and by nobody else's token."""
    table = two_spaces(door, space, desk)
    desk.send(IDEAS, "ann", "x")
    table.ask("a")
    table.reply("a", turn="m1/a")
    found = desk.recv(DESK, max_messages=10)
    assert [m.sender for m in found] == [IDEAS, GROUP]
    assert found[1].id == f"t-{space}/notice/{GROUP}/moderator/2"
    for mail in found:
        desk.ack(mail.id, mail.lease)
    assert desk.recv(DESK, max_messages=10) == []
    table.box.remove_subscriber(GROUP, DESK, home=desk.space)
    assert desk.door.command("EXISTS", keys.key(space, "spaces", DESK)) == 0


def test_the_notice_of_a_table_needs_no_other_name(door: RedisDoor, bus_url: str, space: str) -> None:
    """The group of a table names its space: the id is notice/<group>/<person>/<seq> wherever it is received."""
    with Mailbox(bus_url, f"x{space}") as table, Mailbox(bus_url, space) as home:
        group = f"group/roundtable-x{space}"
        table.create_group(group)
        for person in ("moderator", "user"):
            table.add_member(group, person)
        table.add_subscriber(group, DESK, "moderator", home=space)
        table.send(group, "user", "x")
        mail = notice(home)
        assert mail.id == f"notice/{group}/moderator/1"
        home.ack(mail.id, mail.lease)
        assert home.recv(DESK) == []


@pytest.mark.parametrize("late", [False, True])
def test_one_wait_hears_every_space(
    desk: Mailbox, door: RedisDoor, space: str, bus_url: str, *, late: bool
) -> None:
    """One blocked read a space; a space that is subscribed to while it waits is heard too. No thread is left over."""
    table = None if late else two_spaces(door, space, desk)

    def speak() -> None:
        mine = RedisDoor(bus_url)
        found = table or two_spaces(mine, space, desk)
        time.sleep(0.1)
        found.box.send(GROUP, "user", "x")
        mine.close()

    timer = threading.Timer(0.1, speak)
    timer.start()
    assert not desk.wait_mail(DESK, 0.05)
    assert desk.wait_mail(DESK, 10)
    assert len(desk.recv(DESK)) == 1
    timer.join()
    end = time.monotonic() + 5
    while any(t.name.startswith("wait ") for t in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_reply_is_found_without_any_nudge(desk: Mailbox) -> None:
    """S4.23: the wake is advisory, the notice is durable: nobody was woken, and recv gives it all the same, to a new client too."""
    desk.send(IDEAS, "ann", "x")
    desk.door.command("DEL", keys.key(desk.space, "wake"))
    with Mailbox(desk.door.url, desk.space) as fresh:
        assert notice(fresh).id == f"notice/{IDEAS}/bob/1"
        assert [m.body for m in fresh.drain(IDEAS, "bob").messages] == ["x"]


# How groups end, and marking by hand.


def test_mark_read_moves_forward_to_what_may_be_seen(box: Mailbox) -> None:
    """Up to a message or all; never back, never above the end, never into a time when the person was away."""
    for n in range(4):
        box.send(IDEAS, "ann", f"{n}")
    assert box.mark_read(IDEAS, "bob", 2) == 2
    assert box.mark_read(IDEAS, "bob", 1) == 2
    with pytest.raises(UnknownMessageError):
        box.mark_read(IDEAS, "bob", 5)
    with pytest.raises(UnknownPersonError):
        box.mark_read(IDEAS, "zoe")
    box.remove_member(IDEAS, "bob")
    box.send(IDEAS, "ann", "while away")
    assert box.mark_read(IDEAS, "bob") == 0
    box.add_member(IDEAS, "bob", "all")
    assert box.unread(IDEAS, "bob") == 1
    assert box.mark_read(IDEAS, "bob") == 0


def test_a_list_tells_who_has_read(box: Mailbox) -> None:
    """Own messages are read; counts are of those who were members when it was sent."""
    for n, sender in enumerate(("ann", "bob", "cy")):
        box.send(IDEAS, sender, f"{n}", subject=f"s{n}")
    box.mark_read(IDEAS, "bob", 1)
    found = [(m.seq, m.subject, m.read, m.read_count, m.eligible_count) for m in box.list_group(IDEAS, "bob")]
    assert found == [(1, "s0", True, 1, 2), (2, "s1", True, 0, 2), (3, "s2", False, 0, 2)]
    assert [m.seq for m in box.list_group(IDEAS, "bob", limit=2)] == [2, 3]
    assert [m.seq for m in box.list_group(IDEAS, "bob", first=1, limit=2)] == [1, 2]
    assert box.unread(IDEAS, "bob") == 1


def test_a_closed_group_is_read_only(desk: Mailbox) -> None:
    """No send, join or leave; reading, marking and notices go on."""
    desk.send(IDEAS, "ann", "x")
    assert desk.close_group(IDEAS)
    assert not desk.close_group(IDEAS)
    for refused in (
        lambda: desk.send(IDEAS, "ann", "y"),
        lambda: desk.add_member(IDEAS, "zoe"),
        lambda: desk.remove_member(IDEAS, "ann"),
    ):
        with pytest.raises(GroupClosedError):
            refused()
    assert notice(desk).id == f"notice/{IDEAS}/bob/1"
    assert desk.drain(IDEAS, "bob").commit()
    with pytest.raises(UnknownGroupError):
        desk.close_group("group/none")


def test_a_deleted_group_leaves_nothing(box: Mailbox) -> None:
    """Every key of it is gone, its notices too; a group of that name can be made again. Unknown is unknown_group."""
    before = dump(box.door, box.space)
    box.create_group("group/other")
    for person in ("ann", "bob"):
        box.add_member("group/other", person)
    box.add_subscriber("group/other", DESK, "bob", home=box.space)
    box.send("group/other", "ann", "x", key="k")
    box.send("group/other", "bob", "y")
    [mail] = box.recv(DESK)
    assert box.delete_group("group/other", home=box.space) == 2
    after = dump(box.door, box.space)
    assert {k for k in after if k not in before} <= {"wake"}
    assert {k: v for k, v in after.items() if k in before and k not in ("space", "wake")} == {
        k: v for k, v in before.items() if k not in ("space", "wake")
    }
    with pytest.raises(UnknownGroupError):
        box.delete_group("group/other")
    with pytest.raises(LeaseLostError):
        box.ack(mail.id, mail.lease)


def test_a_delete_is_guarded(box: Mailbox, table: Table) -> None:
    """A group that grew since it was looked at stays, and so does a table's own, which is not closed by hand either."""
    from rt_config.errors import GroupChangedError

    box.send(IDEAS, "ann", "x")
    with pytest.raises(GroupChangedError):
        box.delete_group(IDEAS, head=0)
    for refused in (table.box.delete_group, table.box.close_group):
        with pytest.raises(TableGroupError):
            refused(GROUP)
    assert table.box.groups() == [IDEAS, GROUP]
    assert box.delete_group(IDEAS, head=1, home=box.space) == 1

"""Personal mail, the rest of it: several addresses, renew and its cap, defer, forward, lists, dead letters, wait."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rt_config.errors import (
    BadAddressError,
    HoldExceededError,
    IdempotencyConflictError,
    LeaseLostError,
    NotDeadError,
    UnknownMailError,
    UsageError,
)
from rt_mailbox import directory, keys
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from tests.integration.bus_fixtures import (
    TABLE,
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    laid_table,  # noqa: F401
    lay,
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

ONE, TWO = "agent-deck/one", "agent-deck/two"
BYTES = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
SEAT_INBOX = f"agent-deck/{TABLE}--a"


def pass_by(box: Mailbox, mail_id: str, seconds: float, address: str = ONE) -> None:
    """Let that much time go by for one message."""
    ms = int(-seconds * 1000)
    box.door.command("ZADD", keys.key(box.space, "queue", address), "XX", "INCR", ms, mail_id)
    for field in ("until", "leased_at"):
        if box.door.command("HEXISTS", keys.key(box.space, "mail", mail_id), field):
            box.door.command("HINCRBY", keys.key(box.space, "mail", mail_id), field, ms)


def kill(box: Mailbox, body: str = "poison", address: str = ONE) -> str:
    """A dead letter; its id."""
    sent = box.send_mail(address, "ann", body, subject="s")
    for _ in range(3):
        pass_by(box, sent.id, 10, address)
        [mail] = [m for m in box.recv(address, max_messages=10) if m.id == sent.id]
        box.fail(mail.id, mail.lease, "no idea")
    return sent.id


def test_several_addresses_come_oldest_first(box: Mailbox) -> None:
    """Over the union of the addresses, each message once, an address that is named twice too."""
    for n in range(6):
        box.send_mail((ONE, TWO)[n % 2], "ann", f"{n}")
    found = box.recv([ONE, TWO, ONE], max_messages=4)
    assert [(m.body, m.address) for m in found] == [(str(n), (ONE, TWO)[n % 2]) for n in range(4)]
    assert [m.body for m in box.recv([TWO, ONE], max_messages=9)] == ["4", "5"]


@pytest.mark.parametrize(("addresses", "most"), [([], 1), ([ONE], 0), ([ONE], 11)])
def test_a_call_receives_one_to_ten(box: Mailbox, addresses: list[str], most: int) -> None:
    """From at least one address; anything else is wrong usage, and leases nothing."""
    box.send_mail(ONE, "ann", "hello")
    with pytest.raises(UsageError):
        box.recv(addresses, max_messages=most)
    assert len(box.recv(ONE, max_messages=10)) == 1


def test_a_renewed_lease_lasts(box: Mailbox) -> None:
    """It ends later than before, never sooner; only its token can."""
    box.send_mail(ONE, "ann", "hello")
    [mail] = box.recv(ONE, lease_seconds=60)
    assert box.renew(mail.id, mail.lease, 600) in (599, 600)
    assert box.renew(mail.id, mail.lease, 1) in (599, 600)
    pass_by(box, mail.id, 500)
    assert box.recv(ONE) == []
    with pytest.raises(LeaseLostError):
        box.renew(mail.id, "0123456789abcdef")
    with pytest.raises(UnknownMailError):
        box.renew("d99999999", mail.lease)


def test_nobody_holds_a_lease_for_ever(bus_url: str, space: str) -> None:
    """Weak point 8: after the longest hold a renew is refused, and the lease ends: the message goes to the next who asks."""
    with Mailbox(bus_url, space, max_hold_seconds=100) as box:
        box.send_mail(ONE, "ann", "hello")
        [mail] = box.recv(ONE, lease_seconds=3600)
        assert box.renew(mail.id, mail.lease, 3600) in (99, 100)
        pass_by(box, mail.id, 90)
        assert box.renew(mail.id, mail.lease, 50) in (9, 10)
        pass_by(box, mail.id, 10)
        with pytest.raises(HoldExceededError):
            box.renew(mail.id, mail.lease)
        [again] = box.recv(ONE)
        assert (again.id, again.deliveries) == (mail.id, 2)


def test_a_deferred_message_is_hidden_until_its_time(box: Mailbox) -> None:
    """By seconds or by date; it counts no failure, however often."""
    sent = box.send_mail(ONE, "ann", "hello")
    [mail] = box.recv(ONE)
    box.release(mail.id, mail.lease)
    for n in range(5):
        [mail] = box.recv(ONE)
        if n % 2:
            box.defer(mail.id, mail.lease, seconds=100)
        else:
            box.defer(mail.id, mail.lease, until=datetime.now(UTC) + timedelta(seconds=100))
        assert box.recv(ONE) == []
        pass_by(box, sent.id, 90)
        assert box.recv(ONE) == []
        pass_by(box, sent.id, 11)
    assert box.read_mail(sent.id).failures == 0
    with pytest.raises(LeaseLostError):
        box.defer(mail.id, mail.lease, seconds=1)


def test_a_deferral_needs_one_time(box: Mailbox) -> None:
    """Neither, both, or a time without its zone is wrong usage."""
    now = datetime.now(UTC)
    wrong: list[dict[str, Any]] = [{}, {"seconds": 1, "until": now}, {"until": now.replace(tzinfo=None)}]
    for how in wrong:
        with pytest.raises(UsageError):
            box.defer("d1", "x", **how)


def test_a_key_queues_once(box: Mailbox) -> None:
    """Weak point 2: the same key and body of the same sender gives the first id again; another body is refused."""
    first = box.send_mail(ONE, "ann", "hello", key="k")
    assert not first.duplicate
    again = box.send_mail(ONE, "ann", "hello", key="k")
    assert (again.id, again.duplicate) == (first.id, True)
    with pytest.raises(IdempotencyConflictError):
        box.send_mail(ONE, "ann", "other", key="k")
    assert box.send_mail(ONE, "bob", "hello", key="k").id != first.id
    assert box.send_mail(TWO, "ann", "hello", key="k").id != first.id
    assert len(box.recv([ONE, TWO], max_messages=10)) == 3


def test_a_forwarded_message_is_a_copy(box: Mailbox) -> None:
    """The same bytes, subject Fwd:, and where it was; the first stays as it is, leased or not."""
    sent = box.send_mail(ONE, "ann", BYTES, subject="numbers")
    [mail] = box.recv(ONE)
    box.forward(mail.id, TWO, "bob", key="k")
    assert box.forward(mail.id, TWO, "bob", key="k").duplicate
    [copy] = box.recv(TWO)
    assert (copy.sender, copy.subject, copy.body, copy.forwarded_from) == ("bob", "Fwd: numbers", BYTES, ONE)
    box.ack(mail.id, mail.lease)
    box.forward(sent.id, TWO, "bob", subject="mine")
    assert box.recv(TWO)[0].subject == "mine"
    with pytest.raises(UnknownMailError):
        box.forward("d99999999", TWO, "bob")


def test_mail_is_listed_by_state(box: Mailbox) -> None:
    """Queued, leased, acked and dead, at some addresses or all, without bodies; a lease that ran out is queued again."""
    dead = kill(box)
    ids = [box.send_mail((ONE, TWO)[n % 2], "ann", f"{n}", subject=f"s{n}").id for n in range(4)]
    mails = {m.id: m for m in box.recv([ONE, TWO], max_messages=3, holder="me")}
    box.ack(ids[0], mails[ids[0]].lease)
    pass_by(box, ids[1], 400, TWO)

    def listed(state: str, *addresses: str) -> list[str]:
        found, after = box.list_mail(addresses, state=state)
        assert not after
        assert {m.body for m in found} <= {""}
        assert all(m.state == state for m in found)
        return [m.id for m in found]

    assert listed("queued") == [ids[1], ids[3]]
    assert listed("leased") == [ids[2]]
    assert listed("acked") == [ids[0]]
    assert listed("dead") == [dead]
    assert listed("queued", ONE) == []
    assert listed("queued", TWO, ONE) == [ids[1], ids[3]]
    [one], _ = box.list_mail(ONE, state="leased")
    assert (one.holder, one.subject, one.deliveries, one.due > one.sent_at) == ("me", "s2", 1, True)
    with pytest.raises(UsageError):
        box.list_mail(state="lost")


def test_a_list_is_paged(box: Mailbox) -> None:
    """Each message on one page, in order, however many have the same time and whatever lies between them."""
    ids = [box.send_mail((ONE, TWO)[n % 2], "ann", f"{n}").id for n in range(25)]
    leased = {m.id for m in box.recv([ONE, TWO], max_messages=7)}
    found: list[str] = []
    cursor = ""
    while True:
        page, cursor = box.list_mail(limit=5, cursor=cursor)
        found += [m.id for m in page]
        if not cursor:
            break
        assert len(page) == 5
    assert found == [one for one in ids if one not in leased]
    for wrong in ("x", "12", ".d1"):
        with pytest.raises(UsageError):
            box.list_mail(cursor=wrong)


def test_looking_changes_nothing(box: Mailbox) -> None:
    """read, list and an idle wait leave every key as it was, and tell no lease to anybody."""
    box.send_mail(ONE, "ann", BYTES)
    [mail] = box.recv(ONE, holder="me")
    before = dump(box.door, box.space)
    assert box.read_mail(mail.id).body == BYTES
    assert mail.lease not in repr(box.read_mail(mail.id))
    assert mail.lease not in repr(box.list_mail(ONE, state="leased"))
    assert not box.wait_mail(ONE, 0)
    assert dump(box.door, box.space) == before


def test_a_dead_letter_gets_another_try(box: Mailbox) -> None:
    """It is listed and shown with its reason, requeued with its failures forgotten, and dies again only after three."""
    dead = kill(box)
    [one], _ = box.dead_mail(ONE)
    assert (one.id, one.reason, one.failures) == (dead, "no idea", 3)
    assert box.read_mail(dead).body == "poison"
    box.requeue(dead)
    assert box.dead_mail() == ([], "")
    for n in range(1, 4):
        [mail] = box.recv(ONE)
        assert box.fail(mail.id, mail.lease) is (n == 3)
        pass_by(box, dead, 10)
    box.requeue(dead)
    for wrong, error in ((dead, NotDeadError), ("d99999999", UnknownMailError)):
        with pytest.raises(error):
            box.requeue(wrong)


def test_settled_mail_does_not_grow_for_ever(bus_url: str, space: str) -> None:
    """The newest so many stay readable; what is older goes with the next acks, a few at a time."""
    with Mailbox(bus_url, space) as box, Mailbox(bus_url, space, acked_mail_kept=3) as thrifty:
        ids = [box.send_mail(ONE, "ann", f"{n}").id for n in range(16)]
        for n in range(16):
            [mail] = box.recv(ONE)
            (box if n < 15 else thrifty).ack(mail.id, mail.lease)
        assert [m.id for m in box.list_mail(state="acked")[0]] == ids[10:]
        with pytest.raises(UnknownMailError):
            box.read_mail(ids[9])
        assert box.read_mail(ids[10]).state == "acked"


class Player:
    """Does one random thing after another to two addresses and a group that ONE is told of."""

    def __init__(self, box: Mailbox, holder: str) -> None:
        self.box, self.holder, self.dice = box, holder, random.Random(7)
        self.open: list[tuple[str, str]] = []
        self.ready = [0, 0]
        box.create_group("group/noticed")
        for person in ("ann", "bob"):
            box.add_member("group/noticed", person)
        box.add_subscriber("group/noticed", ONE, "bob", home=box.space)

    def send(self) -> None:
        self.box.send_mail(self.dice.choice([ONE, TWO]), "ann", "hello")

    def post(self) -> None:
        self.box.send("group/noticed", self.dice.choice(["ann", "bob"]), "hello")

    def read(self) -> None:
        self.box.mark_read("group/noticed", "bob")

    def let_time_pass(self) -> None:
        ms = self.dice.choice([2_000, 400_000])
        self.box.door.command("HINCRBY", keys.key(self.box.space, "space"), "clock", ms)

    def settle(self) -> None:
        if not self.open:
            return
        mail_id, lease = self.open.pop()
        with contextlib.suppress(LeaseLostError):
            match self.dice.randrange(4):
                case 0:
                    self.box.ack(mail_id, lease)
                case 1:
                    self.box.release(mail_id, lease)
                case 2:
                    self.box.fail(mail_id, lease)
                case _:
                    self.box.defer(mail_id, lease, seconds=1)

    def recv(self) -> None:
        asked = self.dice.choice([[ONE], [TWO], [ONE, TWO]])
        due = self.box.wait_mail(asked, 0, holder=self.holder)
        found = self.box.recv(asked, holder=self.holder)
        assert due == bool(found)
        self.ready[due] += 1
        self.open += [(m.id, m.lease) for m in found]


@pytest.mark.parametrize("holder", ["", "me"])
def test_wait_agrees_with_recv(box: Mailbox, holder: str) -> None:
    """Weak point 7: whatever happened before, wait returns at once exactly when recv gives something."""
    player = Player(box, holder)
    settle, recv = player.settle, player.recv
    acts = [player.send, player.post, player.read, player.let_time_pass, settle, settle, recv, recv, recv]
    for _ in range(150):
        player.dice.choice(acts)()
    assert min(player.ready) > 5


def _later(seconds: float, act: object) -> threading.Timer:
    timer = threading.Timer(seconds, act)  # type: ignore[arg-type]
    timer.start()
    return timer


def test_wait_ends_when_mail_comes(box: Mailbox) -> None:
    """At once; with nothing it runs out."""
    assert not box.wait_mail([ONE, TWO], 0.05)
    timer = _later(0.1, lambda: box.send_mail(TWO, "ann", "hello"))
    start = time.monotonic()
    assert box.wait_mail([ONE, TWO], 10)
    assert time.monotonic() - start < 2
    timer.join()


def test_wait_ends_when_a_lease_or_a_deferral_does(box: Mailbox) -> None:
    """Nothing is sent then; the time comes by itself."""
    box.send_mail(ONE, "ann", "hello")
    [mail] = box.recv(ONE, lease_seconds=0.2)
    assert not box.wait_mail(ONE, 0)
    assert box.wait_mail(ONE, 10)
    [mail] = box.recv(ONE)
    box.defer(mail.id, mail.lease, seconds=0.2)
    assert not box.wait_mail(ONE, 0)
    assert box.wait_mail(ONE, 10)
    assert len(box.recv(ONE)) == 1


def test_a_seat_s_inbox_is_found_in_its_table(door: RedisDoor, space: str) -> None:
    """From the default space: sent, waited for, received, read and settled under an id that names the table's space."""
    table = lay(door, TABLE + space)
    inbox = f"agent-deck/{table.space}--a"
    directory.write(door, space, table.space, {"topic": "t", "state": "open"})
    with Mailbox("", space, door=door) as box:
        sent = box.send_mail(inbox, "ann", "hello")
        assert sent.id.startswith(f"{table.space}/d")
        assert box.wait_mail(inbox, 0)
        [mail] = box.recv(inbox)
        assert (mail.id, mail.body) == (sent.id, "hello")
        assert box.read_mail(mail.id).state == "leased"
        assert [m.id for m in box.list_mail(inbox, state="leased")[0]] == [mail.id]
        with pytest.raises(UsageError):
            box.list_mail([inbox, ONE])
        box.ack(mail.id, mail.lease)
        assert table.box.recv(inbox) == []


def test_control_mail_that_is_renewed_stays_its_seat_s(table: Table) -> None:
    """The longest hold is no matter for a turn: its deadline is."""
    table.ask("a", timeout_ms=10_000_000)
    [mail] = table.box.recv(SEAT_INBOX, holder="participant/a")
    assert table.box.renew(mail.id, mail.lease, 60) > 9_000
    assert table.box.recv(SEAT_INBOX, holder="participant/a") == [mail]


@pytest.mark.parametrize("mail_id", ["", "nothing", "x/", "m12", "notice/x", "d1"])
def test_an_id_that_nothing_has_is_unknown(box: Mailbox, mail_id: str) -> None:
    """Whatever it looks like."""
    with pytest.raises(UnknownMailError):
        box.read_mail(mail_id)


def test_a_group_gets_no_personal_mail(box: Mailbox) -> None:
    """Nor is mail forwarded to one."""
    sent = box.send_mail(ONE, "ann", "hello")
    with pytest.raises(BadAddressError):
        box.forward(sent.id, "group/ideas", "ann")

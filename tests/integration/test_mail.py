"""Personal addresses: leases, counting, dead letters; control mail belongs to its seat (S4.6)."""

from __future__ import annotations

import threading

import pytest

from rt_config.errors import (
    BadAddressError,
    BodyTooLargeError,
    EmptyBodyError,
    LeaseLostError,
    UnknownAddressError,
    UnknownMessageError,
)
from rt_mailbox import keys, turns
from rt_mailbox.mailbox import Mailbox
from rt_mailbox.messages import Mail
from tests.integration.bus_fixtures import (
    Table,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

INBOX = "agent-deck/one"
SEAT_INBOX = "agent-deck/rt-20260102-0304-topic--a"


def one(box: Mailbox, **how: str) -> Mail:
    """Receive the one message that is due."""
    [mail] = box.recv(INBOX, **how)  # type: ignore[arg-type]
    return mail


def _pass_by(box: Mailbox, mail: Mail, seconds: float = 400) -> None:
    """Let that much time go by for one message."""
    box.door.command(
        "ZADD", keys.key(box.space, "queue", mail.address), "XX", "INCR", int(-seconds * 1000), mail.id
    )


def _queued(box: Mailbox, what: str = "queue", address: str = INBOX) -> int:
    return int(box.door.command("ZCARD", keys.key(box.space, what, address)))


def test_recv_leases_and_an_ack_ends_it(box: Mailbox) -> None:
    """What was sent comes with a token; while it is leased nobody else gets it; acked it is gone."""
    sent = box.send_mail(INBOX, "ann", "hello", subject="s")
    mail = one(box)
    assert (mail.id, mail.sender, mail.subject, mail.body, mail.deliveries) == (
        sent.id,
        "ann",
        "s",
        "hello",
        1,
    )
    assert box.recv(INBOX) == []
    box.ack(mail.id, mail.lease)
    _pass_by(box, mail)
    assert box.recv(INBOX, max_messages=9) == []


def test_an_empty_address_costs_nothing(box: Mailbox) -> None:
    """Receiving where nothing is returns at once and makes no key."""
    before = box.door.command("KEYS", f"rt:{{{box.space}}}:*")
    assert box.recv(INBOX) == []
    after = box.door.command("KEYS", f"rt:{{{box.space}}}:*")
    assert [name for name in set(after) ^ set(before) if "space" not in name] == []


def test_mail_comes_oldest_first(box: Mailbox) -> None:
    """Also more than ten of the same millisecond."""
    for n in range(25):
        box.send_mail(INBOX, "ann", f"{n}")
    found = [[m.body for m in box.recv(INBOX, max_messages=10)] for _ in range(3)]
    assert found == [[str(n) for n in some] for some in (range(10), range(10, 20), range(20, 25))]


def test_the_first_mail_tells_that_the_address_is_new(box: Mailbox) -> None:
    """A typing error shows in the first send; must_exist refuses it, and does not make the address known."""
    with pytest.raises(UnknownAddressError):
        box.send_mail(INBOX, "ann", "hello", must_exist=True)
    found = [box.send_mail(INBOX, "ann", "hello").new_address for _ in range(2)]
    assert found == [True, False]
    assert not box.send_mail(INBOX, "ann", "hello", must_exist=True).new_address


def test_an_address_that_got_control_mail_is_known(table: Table) -> None:
    """A seat's inbox is no new address."""
    table.ask("a")
    assert not table.box.send_mail(SEAT_INBOX, "ann", "hello", must_exist=True).new_address


def test_a_lease_that_ran_out_is_delivered_again(box: Mailbox) -> None:
    """With another token and one delivery more; the old token settles nothing any more."""
    box.send_mail(INBOX, "ann", "hello")
    first = one(box)
    _pass_by(box, first)
    second = one(box)
    assert (second.id, second.deliveries, second.lease != first.lease) == (first.id, 2, True)
    with pytest.raises(LeaseLostError):
        box.ack(first.id, first.lease)
    box.ack(second.id, second.lease)


def test_a_token_serves_until_somebody_else_leases(box: Mailbox) -> None:
    """Done a little late is done, when nobody took it meanwhile."""
    box.send_mail(INBOX, "ann", "hello")
    mail = one(box)
    _pass_by(box, mail)
    box.ack(mail.id, mail.lease)
    assert box.recv(INBOX) == []


def test_only_the_named_holder_gets_its_lease_back(box: Mailbox) -> None:
    """The same token and no new delivery for it; nothing for another holder or for none."""
    box.send_mail(INBOX, "ann", "hello")
    mail = one(box, holder="h1")
    assert box.recv(INBOX, holder="h2") == []
    assert box.recv(INBOX) == []
    assert one(box, holder="h1") == mail


def test_own_leases_come_first_and_count(box: Mailbox) -> None:
    """A holder with an open lease that asks for two gets that one and one more."""
    for body in ("first", "second", "third"):
        box.send_mail(INBOX, "ann", body)
    mail = one(box, holder="h1")
    found = box.recv(INBOX, holder="h1", max_messages=2)
    assert [m.body for m in found] == ["first", "second"]
    assert found[0] == mail


def test_a_release_gives_it_back_uncounted(box: Mailbox) -> None:
    """Due at once, as often as one likes."""
    box.send_mail(INBOX, "ann", "hello")
    for n in range(1, 6):
        mail = one(box)
        assert mail.deliveries == n
        box.release(mail.id, mail.lease)
    assert _queued(box, "dead") == 0


def test_a_failure_backs_off(box: Mailbox) -> None:
    """Due again after 1 second, then after 5; the third makes it a dead letter."""
    box.send_mail(INBOX, "ann", "hello")
    for pause, dead in ((1.0, False), (5.0, False), (0.0, True)):
        mail = one(box)
        assert box.fail(mail.id, mail.lease, "no idea") is dead
        assert box.recv(INBOX) == []
        if pause:
            _pass_by(box, mail, pause - 0.5)
            assert box.recv(INBOX) == []
            _pass_by(box, mail, 0.5)
    assert (_queued(box), _queued(box, "dead")) == (0, 1)


def test_three_expired_leases_make_a_dead_letter(box: Mailbox) -> None:
    """Whoever takes it and vanishes counts as a failure; the next message is given in the same call."""
    box.send_mail(INBOX, "ann", "poison")
    for n in range(1, 4):
        mail = one(box)
        assert mail.deliveries == n
        _pass_by(box, mail)
    box.send_mail(INBOX, "ann", "fine")
    assert one(box).body == "fine"
    assert _queued(box, "dead") == 1


def test_what_is_not_leased_cannot_be_settled(box: Mailbox) -> None:
    """A wrong token, a queued or settled message and an unknown id are told apart, and change nothing."""
    sent = box.send_mail(INBOX, "ann", "hello")
    with pytest.raises(LeaseLostError) as caught:
        box.ack(sent.id, "")
    assert caught.value.state == "queued"
    mail = one(box)
    for settle in (box.ack, box.release, box.fail):
        with pytest.raises(LeaseLostError):
            settle(mail.id, "0123456789abcdef")
    box.ack(mail.id, mail.lease)
    with pytest.raises(LeaseLostError) as caught:
        box.ack(mail.id, mail.lease)
    assert caught.value.state == "acked"
    with pytest.raises(UnknownMessageError):
        box.ack("d99999999", "x")


def test_racing_receivers_share_nothing(box: Mailbox, bus_url: str) -> None:
    """Eight threads that receive at once get each message once."""
    for n in range(40):
        box.send_mail(INBOX, "ann", f"{n}")
    found: list[str] = []

    def drain() -> None:
        with Mailbox(bus_url, box.space) as mine:
            while mails := mine.recv(INBOX, max_messages=3):
                found.extend(m.body for m in mails)

    threads = [threading.Thread(target=drain) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, found)) == list(range(40))


@pytest.mark.parametrize("address", ["nowhere", "a b/c", "group/ideas", "agent-deck/", "/x", "a/\x1b[2J"])
def test_a_personal_address_reads_scheme_and_id(box: Mailbox, address: str) -> None:
    """Anything else, and a group's address, is bad_address."""
    with pytest.raises(BadAddressError):
        box.send_mail(address, "ann", "hello")


def test_a_body_that_cannot_be_kept_is_refused(box: Mailbox) -> None:
    """Empty, or over the limit: nothing is queued."""
    with pytest.raises(EmptyBodyError):
        box.send_mail(INBOX, "ann", "")
    with pytest.raises(BodyTooLargeError):
        box.send_mail(INBOX, "ann", "x" * (1024 * 1024 + 1))
    assert _queued(box) == 0


def test_control_mail_goes_to_its_person_only(table: Table) -> None:
    """Nobody else gets it, named or not; the person gets it again at once, with the same token, until the deadline."""
    table.ask("a", timeout_ms=1_000_000)
    box = table.box
    assert box.recv(SEAT_INBOX) == []
    assert box.recv(SEAT_INBOX, holder="participant/b") == []
    [mail] = box.recv(SEAT_INBOX, holder="participant/a")
    assert (mail.kind, mail.body) == ("control", "control for a")
    assert box.recv(SEAT_INBOX, holder="participant/a") == [mail]
    assert table.mail("m1/a")["until"] == table.turn("m1/a")["deadline"]
    assert box.recv(SEAT_INBOX) == []


def test_control_mail_shown_as_a_turn_is_the_same_lease(table: Table) -> None:
    """A turn that was shown is received as the lease it has, by the seat's person."""
    table.ask("a")
    turns.show(table.door, table.space, "a")
    [mail] = table.box.recv(SEAT_INBOX, holder="participant/a")
    assert (mail.lease, mail.deliveries) == (table.mail("m1/a")["lease"], 1)


def test_control_mail_does_not_stand_in_the_way(table: Table) -> None:
    """Other mail at the same address is received past it, however much of it waits."""
    for _ in range(105):
        table.ask("a")
    table.box.send_mail(SEAT_INBOX, "ann", "hello")
    assert [m.body for m in table.box.recv(SEAT_INBOX)] == ["hello"]


def test_control_mail_never_dies(table: Table) -> None:
    """However often it fails or its lease runs out, the seat gets it again."""
    table.ask("a")
    box = table.box
    for n in range(1, 6):
        [mail] = box.recv(SEAT_INBOX, holder="participant/a")
        assert mail.deliveries == 2 * n - 1
        assert not box.fail(mail.id, mail.lease, "busy")
        _pass_by(box, mail, 6)
        [mail] = box.recv(SEAT_INBOX, holder="participant/a")
        _pass_by(box, mail, 1_000)
    assert _queued(box, "dead", SEAT_INBOX) == 0


def test_answered_control_mail_is_not_received(table: Table) -> None:
    """A reply settles it."""
    table.ask("a")
    table.reply("a", turn="m1/a")
    assert table.box.recv(SEAT_INBOX, holder="participant/a") == []

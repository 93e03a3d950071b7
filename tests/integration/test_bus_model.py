"""The bus agrees with a small model, whatever is done in whatever order: groups, queues, notices, the clock, offload and back."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rt_config.errors import (
    AlreadyMemberError,
    AlreadySubscriberError,
    BusDownError,
    GroupClosedError,
    HoldExceededError,
    IdempotencyConflictError,
    LeaseLostError,
    NotAMemberError,
    NotDeadError,
    RoundtableError,
    TableArchivedError,
    UnknownPersonError,
    UnknownSubscriberError,
)
from rt_mailbox import addresses, keys, server_binary, tables
from rt_mailbox.client import RedisDoor
from rt_mailbox.hot import HotDoor
from rt_mailbox.keeping import archives
from rt_mailbox.mailbox import Drained, Mailbox
from tests.helpers import eventually
from tests.integration.bus_fixtures import IDEAS, module_server  # noqa: F401 (fixture)
from tests.integration.bus_model import Bus, Group, Held

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

HOME = "default"
OTHER = "group/other"  # the one that may be closed
ONE, TWO, THREE = "agent-deck/one", "agent-deck/two", "agent-deck/three"
BEGINNING = 4_102_444_800_000  # later than any wall clock that tests go by

PEOPLE = st.sampled_from(["ann", "ann", "bob", "bob", "cy", "dee"])
GROUPS = st.sampled_from([IDEAS, IDEAS, OTHER])
HISTORIES = st.sampled_from(["all", "none", "last:0", "last:1", "last:3"])
ADDRESSES = st.sampled_from([ONE, TWO])  # THREE gets mail only
HOLDERS = st.sampled_from(["", "", "me", "you"])
KEYS = st.sampled_from(["", "", "", "k", "l"])
BODIES = st.sampled_from(["hello", "hello", "goodbye"])
SECONDS = st.sampled_from([1, 5, 30, 60, 1800])
TIMES = st.sampled_from([0, 1, 999, 1_000, 5_000, 29_999, 59_999, 60_000, 1_800_000])
ASKED = st.sampled_from([[ONE], [TWO], [ONE, TWO], [TWO, ONE, TWO], [THREE], [THREE]])
TIDES: list[tuple[Any, ...]] = [
    *[("settle", nth, how, 5) for nth, how in enumerate(("ack", "release", "fail", "defer"))],
    *[("time_passes", ms) for ms in (1, 1_000, 5_000, 54_999, 60_000)],
]
ABOUT_A_NOTICE: list[tuple[Any, ...]] = [
    *TIDES,
    *[("send", IDEAS, person, "", "hello", 1) for person in ("ann", "ann", "bob")],
    *[("read", IDEAS, "bob", 1), ("mark_read", IDEAS, "bob", 0), ("read_twice", IDEAS, "bob")],
    *[("believe_an_ack",), ("offload_and_back", 4)],
    *[("recv", [ONE], 2, 60, holder) for holder in ("", "", "me", "me")],
]
ABOUT_A_LETTER: list[tuple[Any, ...]] = [
    *TIDES,
    *[("settle", 0, "fail", 1), ("renew", 0, 1800), ("hold_for_long",), ("offload_and_back", 4)],
    *[("recv", [THREE], 1, 1, holder) for holder in ("", "", "", "me")],
]
HOWS = st.sampled_from(["ack", "ack", "release", "fail", "fail", "defer", ""])


class Door:
    """A door at whose server it is the time that it is told.

    The clock that leases go by never runs back (`base.lua`). Before each script that asks for it, it is put to `now`, which
    the wall clock is far behind, and `drift` is what it was behind before: so each script sees a wall clock that was
    just set back by hours, and none may mind.
    """

    def __init__(self, door: RedisDoor | HotDoor) -> None:
        self.door, self.url = door, door.url
        self.now, self.drift = 0, 0

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """Run one, at `now`."""
        if name.startswith("mail_"):
            self.command("HSET", keys.key(space, "space"), "clock", self.now, "drift", self.drift)
        return self.door.script(name, space, *args)

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """As it is."""
        return self.door.command(*args, block_ms=block_ms)

    def close(self) -> None:
        """Give the connection up."""
        self.door.close()


class Machine(RuleBasedStateMachine):
    """A real space beside its model."""

    url = ""
    embedded = True
    taken = Bundle("taken")

    @initialize(hot=st.booleans())
    def begin(self, hot: bool) -> None:
        """An archivable table, whose space holds two groups beside its own."""
        self.door = Door(HotDoor(self.url) if hot else RedisDoor(self.url))
        self.table = f"rt-20260102-0304-{uuid.uuid4().hex}"
        about = {"id": self.table, "topic": "t"}
        assert tables.create(self.door, self.table, addresses.group_of(self.table), about, ["moderator"], [])
        self.box = Mailbox("", self.table, door=self.door)
        self.model = Bus(BEGINNING, {IDEAS: Group(), OTHER: Group()})
        self.door.now = self.model.now
        for group in self.model.groups:
            self.box.create_group(group)
        self.tokens: list[tuple[str, str, Held]] = []  # all that were ever given
        for person in ("ann", "bob", "cy"):
            self.join(IDEAS, person, "all")
            self.join(OTHER, person, "all")
        self.subscribe(IDEAS, "bob", ONE)
        self.subscribe(OTHER, "ann", TWO)
        self.send(IDEAS, "ann", "", "hello", 2)
        for address in (ONE, TWO, THREE):
            self.send_mail(address, "ann", "", "hello")
        self.touched = set(self.model.groups)

    def teardown(self) -> None:
        """Leave nothing."""
        archives.delete(self.door, HOME, self.table)
        self.door.close()

    def expect(self, refusal: type[RoundtableError] | None, call: Callable[[], object]) -> bool:
        """Do it, or see it refused; True when it was done."""
        if refusal is None:
            call()
            return True
        with pytest.raises(refusal):
            call()
        return False

    def not_writable(self, group: str, person: str) -> type[RoundtableError] | None:
        """Why `person` may not speak or leave."""
        if self.model.groups[group].closed:
            return GroupClosedError
        if person not in self.model.groups[group].readers:
            return UnknownPersonError
        return None if self.model.groups[group].member(person) else NotAMemberError

    # groups

    @rule(group=GROUPS, person=PEOPLE, history=HISTORIES)
    def join(self, group: str, person: str, history: str) -> None:
        """Join, for the first time or again."""
        self.touched = {group}
        about = self.model.groups[group]
        refusal: type[RoundtableError] | None = AlreadyMemberError if about.member(person) else None
        refusal = GroupClosedError if about.closed else refusal
        if self.expect(refusal, lambda: self.box.add_member(group, person, history)):
            about.join(person, history)

    @rule(group=GROUPS, person=PEOPLE)
    def leave(self, group: str, person: str) -> None:
        """Leave."""
        self.touched = {group}
        refusal = self.not_writable(group, person)
        if self.expect(refusal, lambda: self.box.remove_member(group, person)):
            self.model.groups[group].readers[person].member = False

    @rule(group=GROUPS, sender=PEOPLE | ADDRESSES, key=KEYS, body=BODIES, times=st.integers(1, 3))
    def send(self, group: str, sender: str, key: str, body: str, times: int) -> None:
        """Say something, with a key or without, as oneself or from one's notify address."""
        self.touched = {group}
        for _ in range(times):
            about = self.model.groups[group]
            person = about.speaker(sender)
            known = about.keys.get((person, key)) if key else None
            refusal = self.not_writable(group, person)
            if known:
                refusal = None if known[1] == body else IdempotencyConflictError
            if refusal:
                self.expect(refusal, lambda: self.box.send(group, sender, body, key=key))
                return
            sent = self.box.send(group, sender, body, key=key)
            assert sent.duplicate == bool(known)
            assert sent.seq == (known[0] if known else about.send(person))
            assert sent.eligible_count == len(about.eligible[sent.seq - 1])
            if not known:
                about.sent_at.append(sent.sent_at)
                about.keys[person, key] = sent.seq, body

    @rule(target=taken, group=GROUPS, person=PEOPLE, most=st.integers(1, 4))
    def drain(self, group: str, person: str, most: int) -> object:
        """Take what is unread, without marking it; a wait would have ended exactly then."""
        about = self.model.groups[group]
        if person not in about.readers:
            with pytest.raises(UnknownPersonError):
                self.box.drain(group, person)
            return multiple()
        expected = about.unread(person)
        assert self.box.wait(group, person, 0) == bool(expected)
        drained = self.box.drain(group, person, max_messages=most, page=2)
        assert [m.seq for m in drained.messages] == expected[:most]
        assert (drained.unread_left, drained.lost) == (len(expected[most:]), "")
        to = expected[most - 1] if len(expected) > most else max(about.readers[person].visible, default=0)
        return group, person, drained, to

    @rule(one=taken)
    def commit(self, one: tuple[str, str, Drained, int]) -> None:
        """Mark what some drain gave, at once, later or again."""
        group, person, drained, to = one
        self.touched = {group}
        reader = self.model.groups[group].readers[person]
        assert drained.commit() == (to > reader.cursor)
        reader.cursor = max(reader.cursor, to)

    @rule(group=GROUPS, person=PEOPLE, back=st.integers(0, 3))
    def mark_read(self, group: str, person: str, back: int) -> None:
        """Mark by hand, up to a little before the end."""
        self.touched = {group}
        about = self.model.groups[group]
        to = about.head - back
        if person in about.readers and to > 0:
            reader = about.readers[person]
            reader.cursor = max([reader.cursor, *(s for s in reader.visible if s <= to)])
            assert self.box.mark_read(group, person, to) == len(about.unread(person))

    @rule(group=GROUPS, person=PEOPLE, address=ADDRESSES)
    def subscribe(self, group: str, person: str, address: str) -> None:
        """Be told of what is unread; one address a person here, because two would get notices of the same id."""
        about = self.model.groups[group]
        known = about.subscribers.get(address)
        if known is None and person in about.subscribers.values():
            return
        refusal: type[RoundtableError] | None = None if about.member(person) else NotAMemberError
        refusal = refusal if person in about.readers else UnknownPersonError
        if not refusal and known not in (None, person):
            refusal = AlreadySubscriberError
        new: list[bool] = []
        if self.expect(
            refusal, lambda: new.append(self.box.add_subscriber(group, address, person, home=self.table))
        ):
            assert new == [known is None]
            about.subscribers[address] = person
            self.model.notices.setdefault((address, group), Held(address, group=group, person=person))

    @rule(group=GROUPS, address=ADDRESSES, really=st.integers(0, 3))
    def unsubscribe(self, group: str, address: str, really: int) -> None:
        """Be told no more, now and then."""
        if really < 3:
            return
        known = self.model.groups[group].subscribers.pop(address, None)
        refusal = None if known else UnknownSubscriberError
        self.expect(refusal, lambda: self.box.remove_subscriber(group, address, home=self.table))
        self.model.notices.pop((address, group), None)

    @rule(really=st.integers(0, 9))
    def close(self, really: int) -> None:
        """Make one group read-only, now and then."""
        if really == 9:
            assert self.box.close_group(OTHER) != self.model.groups[OTHER].closed
            self.model.groups[OTHER].closed = True

    # queues and notices

    @rule(address=ADDRESSES | st.just(THREE), sender=PEOPLE, key=KEYS, body=BODIES)
    def send_mail(self, address: str, sender: str, key: str, body: str) -> None:
        """Queue something, with a key or without."""
        known = self.model.keys.get((address, sender, key)) if key else None
        if known and known[1] != body:
            self.expect(IdempotencyConflictError, lambda: self.box.send_mail(address, sender, body, key=key))
            return
        queued = self.box.send_mail(address, sender, body, key=key)
        assert queued.duplicate == bool(known)
        if known:
            assert queued.id == known[0]
            return
        self.model.keys[address, sender, key] = queued.id, body
        self.model.letters[queued.id] = Held(address, queued.id, due=self.model.now)

    @rule(asked=ASKED, most=st.integers(1, 3), seconds=SECONDS, holder=HOLDERS)
    def recv(self, asked: list[str], most: int, seconds: int, holder: str) -> None:
        """Lease what is due; a wait would have ended exactly then."""
        assert self.box.wait_mail(asked, 0, holder=holder) == self.model.ready(asked, holder)
        expected = self.model.recv(asked, most, seconds * 1000, holder)
        found = self.box.recv(asked, max_messages=most, lease_seconds=seconds, holder=holder)
        assert [m.id for m in found] == [one.id for one in expected]
        for mail, one in zip(found, expected, strict=True):
            assert mail.deliveries == (1 if one.group else one.deliveries)
            assert one.lease in ("?", mail.lease)
            one.lease = mail.lease
            self.tokens.append((mail.id, mail.lease, one))

    @rule(asked=ASKED, seconds=SECONDS, ms=TIMES, how=HOWS, times=st.integers(1, 3))
    def recv_and_settle(self, asked: list[str], seconds: int, ms: int, how: str, times: int) -> None:
        """Something is received and dealt with, in time, late or never, and so again."""
        for _ in range(times):
            self.recv(asked, 1, seconds, "")
            self.time_passes(ms)
            self.settle(0, how, seconds)
            self.time_passes(ms)

    def token(self, nth: int) -> tuple[str, str, Held, type[RoundtableError] | None]:
        """One of the last tokens that were given, mostly one that still settles something, and the refusal of one that does not."""
        live = [one for one in self.tokens if not self.is_lost(one)]
        pool = live if live and nth < 3 else self.tokens
        found = pool[-1 - nth % len(pool)]
        return *found, LeaseLostError if self.is_lost(found) else None

    def is_lost(self, it: tuple[str, str, Held]) -> bool:
        """Whether that token settles nothing any more."""
        _, lease, one = it
        gone = one.group and self.model.notices.get((one.address, one.group)) is not one
        return bool(gone) or one.lease != lease

    @precondition(lambda self: self.tokens)
    @rule(nth=st.integers(0, 3), how=HOWS, seconds=SECONDS)
    def settle(self, nth: int, how: str, seconds: int) -> None:
        """End a lease in any way, in time, late, or with the token of a lease that somebody else has by now."""
        if not self.tokens or not how:
            return
        mail_id, lease, one, refusal = self.token(nth)
        calls: dict[str, Callable[[], object]] = {
            "ack": lambda: self.box.ack(mail_id, lease),
            "release": lambda: self.box.release(mail_id, lease),
            "fail": lambda: self.box.fail(mail_id, lease, "no idea"),
            "defer": lambda: self.box.defer(mail_id, lease, seconds=seconds),
        }
        if self.expect(refusal, calls[how]):
            self.model.settle(one, how, seconds * 1000)

    @precondition(lambda self: self.tokens)
    @rule(nth=st.integers(0, 3), seconds=SECONDS)
    def renew(self, nth: int, seconds: int) -> None:
        """Hold it longer, until one may not."""
        mail_id, lease, one, refusal = self.token(nth)
        if not refusal and not self.model.renew(one, seconds * 1000):
            refusal = HoldExceededError
        self.expect(refusal, lambda: self.box.renew(mail_id, lease, seconds))

    @precondition(lambda self: self.model.listed("dead"))
    @rule(nth=st.integers(0, 9))
    def requeue(self, nth: int) -> None:
        """Another try for what is dead; nothing for what is not."""
        dead = self.model.listed("dead")
        letter = dead[nth % len(dead)]
        self.box.requeue(letter.id)
        self.model.requeue(letter)
        self.expect(NotDeadError, lambda: self.box.requeue(letter.id))

    @rule(acts=st.lists(st.sampled_from(ABOUT_A_NOTICE), min_size=10, max_size=20))
    def a_notice_lives(self, acts: list[tuple[Any, ...]]) -> None:
        """Many things that have to do with each other."""
        for name, *args in acts:
            getattr(self, name)(*args)

    @rule(acts=st.lists(st.sampled_from(ABOUT_A_LETTER), min_size=10, max_size=20))
    def a_letter_lives(self, acts: list[tuple[Any, ...]]) -> None:
        """Many things that have to do with each other."""
        for name, *args in acts:
            if self.tokens or name != "renew":
                getattr(self, name)(*args)

    def read(self, group: str, person: str, most: int) -> None:
        """Drain and commit."""
        taken = self.drain(group, person, most)
        if isinstance(taken, tuple):
            self.commit(taken)

    def read_twice(self, group: str, person: str) -> None:
        """Two drains at once, the one with less committed first."""
        both = [self.drain(group, person, most) for most in (1, 3)]
        for taken in both:
            if isinstance(taken, tuple):
                self.commit(taken)

    def believe_an_ack(self) -> None:
        """Acknowledge without reading, and look again within the minute."""
        self.recv([ONE], 1, 60, "")
        self.settle(0, "ack", 1)
        self.time_passes(54_999)
        self.recv([ONE], 3, 60, "")

    def hold_for_long(self) -> None:
        """Keep something until nobody may keep it any longer."""
        self.recv([THREE], 1, 1, "")
        for _ in range(2):
            self.time_passes(1_800_000)
            if self.tokens:
                self.renew(0, 1)

    # time and place

    @rule(ms=TIMES)
    def time_passes(self, ms: int) -> None:
        """A moment, or just as long as something lasts, or a day."""
        self.door.now += ms
        self.model.now += ms

    @rule(hours=st.integers(0, 200))
    def the_wall_clock_jumps(self, hours: int) -> None:
        """From now on scripts find it that much nearer to what it was when it was last set back."""
        self.door.drift = hours * 3_600_000

    @rule(really=st.integers(0, 4))
    def offload_and_back(self, really: int) -> None:
        """Into a file and back: seqs, cursors, receipts, leases, tokens, notices and keys are what they were."""
        if really < 4:
            return
        self.touched = set(self.model.groups)
        tables.set_table(self.door, self.table, {"state": "archived"})
        assert not archives.offload(self.door, HOME, self.table).again
        with pytest.raises(TableArchivedError):
            self.box.unread(IDEAS, "ann")
        assert archives.bring_back(self.door, HOME, self.table)
        tables.set_table(self.door, self.table, {"state": "open"})

    # what must always hold

    @invariant()
    def groups_agree(self) -> None:
        """What everybody has not read, may see, and who read the newest, is the model's."""
        for group in self.touched:
            about = self.model.groups[group]
            for person, reader in about.readers.items():
                assert self.box.unread(group, person) == len(about.unread(person)), person
                assert [m.seq for m in self.box.history(group, person)] == sorted(reader.visible), person
            if about.head:
                [message] = self.box.history(group, first=about.head)
                assert message.eligible_count == len(about.eligible[-1])
                assert self.box.read_count(group, message) == about.read_count(about.head)
        self.touched = set()

    @invariant()
    def queues_agree(self) -> None:
        """Every letter is in the state, and due at the time, that the model says."""
        for state in ("queued", "leased", "dead") if self.model.letters else ():
            found, _ = self.box.list_mail(state=state, limit=100)
            due = [(m.id, m.settled_at or m.due, m.failures, m.deliveries) for m in found]
            assert due == [(m.id, m.due, m.failures, m.deliveries) for m in self.model.listed(state)], state


def answers(url: str) -> bool:
    """Whether a server does."""
    try:
        return bool(RedisDoor(url).command("PING"))
    except BusDownError:
        return False


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """The `redis-server` that is on PATH."""
    path = shutil.which("redis-server")
    found = server_binary.find([Path(path)]) if path else None
    if not found or found.kind != "redis" or int(found.version.split(".")[0]) < 7:
        pytest.skip("needs redis-server 7 or newer on PATH")
    words = ["--port", "0", "--unixsocket", f"{folder}/s", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen([str(found.path), *words], stdout=subprocess.DEVNULL)
    try:
        url = f"unix://{folder}/s"
        eventually(lambda: answers(url), what="redis-server")
        yield url
    finally:
        process.kill()
        process.wait(10)


@pytest.fixture(name="machine", params=["embedded", "redis"])
def machine_on_a_server(request: pytest.FixtureRequest, rt_home: Path) -> Iterator[type[Machine]]:
    """The state machine against the embedded server, which need not wait for the disk here, or against Redis."""
    with contextlib.ExitStack() as stack:
        if request.param == "redis":
            url = stack.enter_context(redis_server(rt_home.parent))
        else:
            url = request.getfixturevalue("bus_url")
            door = RedisDoor(url)
            door.command("CONFIG", "SET", "appendfsync", "no")
            door.close()
        Machine.url, Machine.embedded = url, request.param == "embedded"
        yield Machine


def run(machine: type[Machine], examples: int) -> None:
    """Run that many examples."""
    how = settings(max_examples=examples, stateful_step_count=25, deadline=None, database=None)
    run_state_machine_as_test(machine, settings=how)


@pytest.mark.timeout(600)  # time to find the shortest history that fails
def test_the_bus_agrees_with_the_model(machine: type[Machine]) -> None:
    """Fifty random histories of everything that groups and queues can do, while time passes and clocks jump; on Redis fewer."""
    run(machine, 50 if machine.embedded else 10)


@pytest.mark.full
@pytest.mark.timeout(3000)
def test_the_bus_agrees_with_the_model_for_long(machine: type[Machine]) -> None:
    """Some thousand of them."""
    run(machine, 3000)

"""Groups agree with a small model, whatever is done in whatever order."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from rt_config.errors import AlreadyMemberError, NotAMemberError, RoundtableError, UnknownPersonError
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Drained, Mailbox
from tests.integration.bus_fixtures import IDEAS, module_server  # noqa: F401 (fixture)

PEOPLE = st.sampled_from(["ann", "bob", "cy", "dee"])
HISTORIES = st.sampled_from(["all", "none", "last:0", "last:1", "last:3"])


@dataclass
class Reader:
    """What the model knows of one person: seqs, no intervals."""

    member: bool = False
    visible: set[int] = field(default_factory=set)
    cursor: int = 0


@dataclass
class Model:
    """A group as its rules read."""

    senders: list[str] = field(default_factory=list)
    eligible: list[frozenset[str]] = field(default_factory=list)
    readers: dict[str, Reader] = field(default_factory=dict)

    def refusal(self, person: str) -> type[RoundtableError] | None:
        """Why `person` may not speak or leave."""
        if person not in self.readers:
            return UnknownPersonError
        return None if self.readers[person].member else NotAMemberError

    def join(self, person: str, history: str) -> None:
        """Become a member."""
        reader = self.readers.setdefault(person, Reader())
        head = len(self.senders)
        shown = {"all": head, "none": 0}.get(history)
        shown = int(history.removeprefix("last:")) if shown is None else shown
        reader.visible |= set(range(max(1, head + 1 - shown), head + 1))
        reader.member = True

    def send(self, person: str) -> int:
        """Say something; the seq."""
        self.senders.append(person)
        members = {name for name, reader in self.readers.items() if reader.member}
        self.eligible.append(frozenset(members - {person}))
        seq = len(self.senders)
        for name in members:
            self.readers[name].visible.add(seq)
        if self.readers[person].cursor == seq - 1:
            self.readers[person].cursor = seq
        return seq

    def unread(self, person: str) -> list[int]:
        """Visible, above the cursor, and not their own."""
        reader = self.readers[person]
        return sorted(s for s in reader.visible if s > reader.cursor and self.senders[s - 1] != person)

    def read_count(self, seq: int) -> int:
        """How many of those it was sent to have read it."""
        return sum(self.readers[name].cursor >= seq for name in self.eligible[seq - 1])


class Groups(RuleBasedStateMachine):
    """A real group beside its model."""

    url = ""
    taken = Bundle("taken")

    def __init__(self) -> None:
        super().__init__()
        self.box = Mailbox("", uuid.uuid4().hex, door=RedisDoor(self.url))
        self.box.create_group(IDEAS)
        self.model = Model()

    def teardown(self) -> None:
        """Give the connection up."""
        self.box.close()

    def expect(self, refusal: type[RoundtableError] | None, call: Callable[[], object]) -> bool:
        """Do it, or see it refused; True when it was done."""
        if refusal is None:
            call()
            return True
        with pytest.raises(refusal):
            call()
        return False

    @rule(person=PEOPLE, history=HISTORIES)
    def join(self, person: str, history: str) -> None:
        """Join, for the first time or again."""
        member = person in self.model.readers and self.model.readers[person].member
        refusal = AlreadyMemberError if member else None
        if self.expect(refusal, lambda: self.box.add_member(IDEAS, person, history)):
            self.model.join(person, history)

    @rule(person=PEOPLE)
    def leave(self, person: str) -> None:
        """Leave."""
        if self.expect(self.model.refusal(person), lambda: self.box.remove_member(IDEAS, person)):
            self.model.readers[person].member = False

    @rule(person=PEOPLE, times=st.integers(1, 3))
    def send(self, person: str, times: int) -> None:
        """Say something."""
        for _ in range(times):
            refusal = self.model.refusal(person)
            if refusal:
                self.expect(refusal, lambda: self.box.send(IDEAS, person, "hello"))
                return
            sent = self.box.send(IDEAS, person, "hello")
            assert sent.seq == self.model.send(person)
            assert sent.eligible_count == len(self.model.eligible[-1])

    @rule(target=taken, person=PEOPLE, most=st.integers(1, 4))
    def drain(self, person: str, most: int) -> object:
        """Take what is unread, without marking it."""
        if person not in self.model.readers:
            with pytest.raises(UnknownPersonError):
                self.box.drain(IDEAS, person)
            return multiple()
        expected = self.model.unread(person)
        drained = self.box.drain(IDEAS, person, max_messages=most, page=2)
        assert [m.seq for m in drained.messages] == expected[:most]
        assert drained.unread_left == len(expected[most:])
        visible = self.model.readers[person].visible
        to = expected[most - 1] if len(expected) > most else max(visible, default=0)
        return person, drained, to

    @rule(one=taken)
    def commit(self, one: tuple[str, Drained, int]) -> None:
        """Mark what some drain gave, at once, later or again."""
        person, drained, to = one
        reader = self.model.readers[person]
        assert drained.commit() == (to > reader.cursor)
        reader.cursor = max(reader.cursor, to)

    @invariant()
    def unread_agrees(self) -> None:
        """Everybody's unread count is the model's."""
        for person in self.model.readers:
            assert self.box.unread(IDEAS, person) == len(self.model.unread(person)), person

    @invariant()
    def nobody_reads_too_much(self) -> None:
        """What a person may see is what the model says."""
        for person, reader in self.model.readers.items():
            assert [m.seq for m in self.box.history(IDEAS, person)] == sorted(reader.visible), person

    @invariant()
    def counts_agree(self) -> None:
        """The newest message's counts are the model's."""
        if seq := len(self.model.senders):
            [message] = self.box.history(IDEAS, first=seq)
            assert message.eligible_count == len(self.model.eligible[-1])
            assert self.box.read_count(IDEAS, message) == self.model.read_count(seq)


@pytest.fixture(name="machine")
def machine_on_the_server(bus_url: str) -> type[Groups]:
    """The state machine against the shared server, which need not wait for the disk here."""
    door = RedisDoor(bus_url)
    door.command("CONFIG", "SET", "appendfsync", "no")
    door.close()
    Groups.url = bus_url
    return Groups


def run(machine: type[Groups], examples: int) -> None:
    """Run that many examples."""
    how = settings(max_examples=examples, stateful_step_count=25, deadline=None, database=None)
    run_state_machine_as_test(machine, settings=how)


def test_groups_agree_with_the_model(machine: type[Groups]) -> None:
    """Fifty random histories of joins, leaves, rejoins, sends, drains and commits."""
    run(machine, 50)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_groups_agree_with_the_model_for_long(machine: type[Groups]) -> None:
    """Some thousand of them."""
    run(machine, 3000)

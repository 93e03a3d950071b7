"""The bus as its guarantees read: groups without intervals, queues without a server, and a time that is told.

Nothing here knows how the bus does it. Seqs are counted from 1, times are ms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BACKOFFS = {1: 1_000, 2: 5_000}
NOTICE_REPEATS = 60_000
LONGEST_HOLD = 3_600_000


@dataclass
class Reader:
    """What is known of one person in a group."""

    member: bool = False
    visible: set[int] = field(default_factory=set)
    cursor: int = 0


@dataclass
class Group:
    """A record and its readers."""

    senders: list[str] = field(default_factory=list)
    sent_at: list[int] = field(default_factory=list)
    eligible: list[frozenset[str]] = field(default_factory=list)
    readers: dict[str, Reader] = field(default_factory=dict)
    subscribers: dict[str, str] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    closed: bool = False

    @property
    def head(self) -> int:
        """The last seq."""
        return len(self.senders)

    def member(self, person: str) -> bool:
        """Whether they are one now."""
        return person in self.readers and self.readers[person].member

    def speaker(self, sender: str) -> str:
        """A notify address speaks as its person."""
        return sender if self.member(sender) else self.subscribers.get(sender, sender)

    def join(self, person: str, history: str) -> None:
        """Become a member, and see all, none or the last of what was said."""
        reader = self.readers.setdefault(person, Reader())
        shown = {"all": self.head, "none": 0}.get(history)
        shown = int(history.removeprefix("last:")) if shown is None else shown
        reader.visible |= set(range(max(1, self.head + 1 - shown), self.head + 1))
        reader.member = True

    def send(self, person: str) -> int:
        """Say something; the seq."""
        self.senders.append(person)
        members = {name for name in self.readers if self.member(name)}
        self.eligible.append(frozenset(members - {person}))
        for name in members:
            self.readers[name].visible.add(self.head)
        if self.readers[person].cursor == self.head - 1:
            self.readers[person].cursor = self.head
        return self.head

    def unread(self, person: str) -> list[int]:
        """Visible, above the cursor, and not their own."""
        reader = self.readers[person]
        return sorted(s for s in reader.visible if s > reader.cursor and self.senders[s - 1] != person)

    def read_count(self, seq: int) -> int:
        """How many of those it was sent to have read it."""
        return sum(self.readers[name].cursor >= seq for name in self.eligible[seq - 1])


@dataclass
class Held:
    """What can be leased: a letter, or the notice of one subscription. `due` of a leased letter is when its lease ends."""

    address: str
    id: str = ""
    state: str = "queued"
    due: int = 0
    lease: str = ""
    holder: str = ""
    since: int = 0
    failures: int = 0
    deliveries: int = 0
    group: str = ""  # of a notice, with what follows
    person: str = ""
    until: int = 0
    told: int = 0
    acked: int = 0


@dataclass
class Bus:
    """All of it, at one time."""

    now: int
    groups: dict[str, Group]
    letters: dict[str, Held] = field(default_factory=dict)
    notices: dict[tuple[str, str], Held] = field(default_factory=dict)
    keys: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)

    def listed(self, state: str) -> list[Held]:
        """The letters in a state, in the order of their times; a lease that ran out is queued again."""
        found = [m for m in self.letters.values() if self.state_of(m) == state]
        return sorted(found, key=lambda m: (m.due, m.id))

    def state_of(self, letter: Held) -> str:
        """As a list tells it."""
        return "queued" if letter.state == "leased" and letter.due <= self.now else letter.state

    # receiving

    def recv(self, addresses: list[str], most: int, lease_ms: int, holder: str) -> list[Held]:
        """What is given now, own leases first, then oldest first; it is leased. A third lease that ran out is a dead letter."""
        found = [one for address in dict.fromkeys(addresses) for one in self._look(address, most, holder)]
        given: list[Held] = []
        for _, _, what, one in sorted(found, key=lambda row: row[:2]):
            if what == "dead":
                one.failures += 1
                self._end(one, "dead")
            elif len(given) < most:
                given.append(one)
                self._give(one, what, lease_ms, holder)
        return given

    def ready(self, addresses: list[str], holder: str) -> bool:
        """Whether somebody who asks now gets something."""
        return any(
            what != "dead" for address in addresses for _, _, what, _ in self._look(address, 1, holder)
        )

    def _look(self, address: str, most: int, holder: str) -> list[tuple[int, str, str, Held]]:
        found: list[tuple[int, str, str, Held]] = []
        mine = [m for m in self.letters.values() if m.address == address and m.state in ("queued", "leased")]
        wanted = most
        for m in sorted(mine, key=lambda m: (m.due, m.id)):
            if m.due > self.now:
                if holder and m.state == "leased" and m.holder == holder:
                    found.append((0, m.id, "own", m))
            elif wanted:
                dead = m.state == "leased" and m.failures == 2
                wanted -= not dead
                found.append((m.due, m.id, "dead" if dead else "give", m))
        noticed = (self._notice(n, holder) for n in self.notices.values() if n.address == address)
        return found + [row for row in noticed if row]

    def _notice(self, n: Held, holder: str) -> tuple[int, str, str, Held] | None:
        group = self.groups[n.group]
        unread = group.unread(n.person)
        if not unread:
            return None
        name = f"notice/{n.group}/{n.person}/{unread[-1]}"
        if n.lease and n.until > self.now:
            return (0, name, "own", n) if holder and n.holder == holder else None
        if unread[-1] <= n.acked and n.due > self.now:
            return None
        due = max(n.until, n.due if n.due <= self.now else 0, group.sent_at[unread[0] - 1])
        return (due, name, "give", n)

    def _give(self, one: Held, what: str, lease_ms: int, holder: str) -> None:
        if one.group:
            one.told = self.groups[one.group].unread(one.person)[-1]
            one.id = f"notice/{one.group}/{one.person}/{one.told}"
        if what == "own":
            return
        one.lease, one.holder, one.since = "?", holder, self.now
        if one.group:
            one.until = self.now + lease_ms
            return
        one.failures += one.state == "leased"
        one.deliveries += 1
        one.state, one.due = "leased", self.now + lease_ms

    # settling: each is done only for the holder of the lease, whose token is in `lease`

    def settle(self, one: Held, how: str, ms: int = 0) -> None:
        """ack, release, fail or defer."""
        if one.group:
            self._settle_notice(one, how, ms)
        elif how == "ack":
            self._end(one, "acked")
        else:
            one.failures += how == "fail"
            if one.failures >= 3 and how == "fail":
                self._end(one, "dead")
            else:
                pause = {"release": 0, "defer": ms, "fail": BACKOFFS.get(one.failures, 0)}[how]
                one.state, one.lease, one.holder, one.due = "queued", "", "", self.now + pause

    def _settle_notice(self, n: Held, how: str, ms: int) -> None:
        if not self.groups[n.group].unread(n.person):
            n.acked, n.due = 0, 0
        else:
            n.acked = 0 if how == "release" else n.told
            pauses = {"ack": NOTICE_REPEATS, "release": 0, "defer": ms, "fail": BACKOFFS[1]}
            n.due = self.now + pauses[how]
        n.lease, n.holder, n.until = "", "", 0

    def renew(self, one: Held, ms: int) -> bool:
        """Hold it longer; False, and it is held no more, after the longest time."""
        ends = one.until if one.group else one.due
        last = one.since + LONGEST_HOLD
        to = max(ends, min(self.now + ms, last)) if self.now < last else self.now
        one.until, one.due = (to, one.due) if one.group else (0, to)
        return self.now < last

    def requeue(self, letter: Held) -> None:
        """Give a dead letter another try."""
        letter.state, letter.failures, letter.due = "queued", 0, self.now

    def _end(self, letter: Held, state: str) -> None:
        letter.state, letter.lease, letter.holder, letter.due = state, "", "", self.now

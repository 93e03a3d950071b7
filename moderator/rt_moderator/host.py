"""The host: a table's moderator process. It watches, recovers and rings; it has no opinion and holds no state of its own.

Whatever it does is a fenced write or harmless when doubled, so that it may be killed at any instruction, and a second host
that woke up late changes nothing.
"""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from rt_config.errors import DeckError, RoundtableError, StaleHostError, TmuxTimeoutError
from rt_mailbox import tables, waiting
from rt_mailbox.directory import OPEN
from rt_mailbox.memory import KEEP, Memory
from rt_moderator import formats, hosting, transcript
from rt_moderator.decide import current_turns, decide
from rt_moderator.perform import Performer
from rt_moderator.ringing import Ringer
from rt_moderator.sinks.outlets import Outlets

if TYPE_CHECKING:
    from collections.abc import Callable

    from rt_deck.records import Session
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Door, Reply
    from rt_moderator.engine.driver import Driver

TICK_SECONDS = 1.0
LAST_POSTS_SECONDS = 20.0  # what sinks may take when the table is over; nobody waits for it
GAP_MS = 60_000  # nobody was awake for longer: open turns get a fresh deadline
DONE, SUPERSEDED = 0, 3


class Host:
    """One host of one table."""

    def __init__(self, door: Door, table: str, deck: Deck, url: str, say: Callable[[str], None]) -> None:
        self._door, self._table, self._deck, self._say = door, table, deck, say
        self._holder = uuid.uuid4().hex[:12]
        self._epoch = ""
        self._url = url
        self._seen: tuple[int, float] = (-1, time.monotonic())
        self._last_clock = (0, 0.0)
        self._written = ("", "", "", "")
        self._memory = Memory()
        self._driver: Driver | None = None
        self._outlets = Outlets(table, say)
        self._next_look_ms = int(TICK_SECONDS * 1000)
        self._ringer = Ringer(door, table, deck, self._fence, say)

    def run(self) -> int:
        """Host until the table ends (0) or another host takes over (3).

        Raises:
            BusDownError: the bus stayed away.
        """
        watch = waiting.Watch(self._door, self._table, "events", f"log group/roundtable-{self._table}")
        try:
            self._take(watch)
            while self._tick():
                watch.block(self._next_look_ms)
            tables.lock(self._door, self._table, "give", self._holder, epoch=self._epoch)
            self._outlets.close(LAST_POSTS_SECONDS)
        except StaleHostError as exc:
            self._say(f"another host took over: {exc}")
            return SUPERSEDED
        finally:
            self._outlets.close(0)
            if self._driver is not None:
                self._driver.close()
        return DONE

    def _take(self, watch: waiting.Watch) -> None:
        """Take the lock; at once when its holder's process is gone, else when its 10 seconds are over."""
        while True:
            host = (tables.snapshot(self._door, self._table, 1) or {"host": {}})["host"]
            gone = host["holder"] if host.get("holder") and hosting.gone(host) else ""
            found = tables.lock(self._door, self._table, "take", self._holder, gone=gone, **hosting.me())
            if found["held"]:
                break
            self._say(f"waiting for the host with pid {found['pid']} on {found['machine']}")
            watch.block(min(int(found["left_ms"]) + 50, 1000))
        self._epoch = str(found["epoch"])
        self._say(f"hosting {self._table}, epoch {self._epoch}")
        if int(found["gap_ms"]) > GAP_MS:
            self._refresh("nobody hosted for a while", int(found["gap_ms"]))

    def _tick(self) -> bool:
        """Look once and act; False when the table is over."""
        tables.lock(self._door, self._table, "keep", self._holder, epoch=self._epoch)
        snapshot = tables.snapshot(self._door, self._table)
        if snapshot is None:
            return False
        self._outlets.look(snapshot, self._epoch)
        if snapshot["table"]["state"] not in OPEN:
            return False
        if (gap_ms := self._slept(int(snapshot["clock_ms"]))) > GAP_MS:
            self._refresh("the clock jumped or the machine slept", gap_ms)
            return True
        self._remember(str(snapshot["table"]["group"]))
        quiet = self._quiet_seconds(int(snapshot["head"]))
        performer = Performer(self._door, self._deck, snapshot, self._url, self._fence, self._say)
        counted = {s["tmux"]: s.get("counted_mark", "") for s in snapshot["seats"]}
        sessions = self._sessions()
        actions = decide(snapshot, sessions, counted, quiet)
        for action in actions:
            try:
                performer.perform(action)
            except StaleHostError:
                raise
            except RoundtableError as exc:
                self._say(f"{type(action).__name__}: {exc}")
        if actions:
            snapshot = tables.snapshot(self._door, self._table) or snapshot
        self._next_look_ms = self._ringer.look(snapshot, current_turns(snapshot), sessions)
        self._format(snapshot)
        self._transcript(snapshot)
        return True

    def _format(self, snapshot: Reply) -> None:
        """Let the table's format go on; `open` has none, and its host does not even load one."""
        if not formats.runs(snapshot["table"]):
            return
        if self._driver is None:
            from rt_moderator.engine.driver import Driver

            self._driver = Driver(self._door, self._table, self._fence, self._say)
        self._driver.advance(snapshot)

    def _remember(self, group: str) -> None:
        """Keep what the record holds, and notice when a failover or a restore took some of it away."""
        if lost := self._memory.look(self._door, self._table, group, wanted=KEEP):
            self._say(f"history_lost: m{lost.replace('-', '–m')}: the bus came back without them")

    def _fence(self) -> str:
        """The epoch, checked right now: what is done next outside the bus is still ours to do."""
        tables.lock(self._door, self._table, "keep", self._holder, epoch=self._epoch)
        return self._epoch

    def _sessions(self) -> dict[str, Session] | None:
        """The deck's sessions; None when tmux cannot tell, which proves nothing about any of them."""
        try:
            return {session.name: session for session in self._deck.list()}
        except TmuxTimeoutError as exc:
            self._say(f"tmux does not answer, trying again: {exc}")
        except DeckError as exc:
            self._say(f"tmux: {exc}")
        return None

    def _slept(self, clock_ms: int) -> int:
        """By how many ms the server's clock went on more than this process did."""
        last_ms, last = self._last_clock
        now = time.monotonic()
        self._last_clock = (clock_ms, now)
        return int((clock_ms - last_ms) - (now - last) * 1000) if last_ms else 0

    def _refresh(self, why: str, gap_ms: int) -> None:
        snapshot = tables.snapshot(self._door, self._table)
        turns = [t["id"] for t in (snapshot or {"turns": []})["turns"] if t["state"] == "open"]
        if turns:
            from rt_mailbox import turns as turn_verbs

            turn_verbs.extend(self._door, self._table, turns, gap_ms=gap_ms, epoch=self._epoch)
            self._say(f"{why}: {len(turns)} open turns got a fresh deadline")

    def _quiet_seconds(self, head: int) -> float:
        if head != self._seen[0]:
            self._seen = (head, time.monotonic())
        return time.monotonic() - self._seen[1]

    def _transcript(self, snapshot: Reply) -> None:
        """Rewrite transcript.md when a step is complete, or a synthesis came, and the record has grown since."""
        table = snapshot["table"]
        state = (str(snapshot["head"]), table["round"], table.get("phase", ""), table.get("synthesis", ""))
        asked = any(t["state"] == "open" for t in snapshot["turns"])  # the next step may be open already
        if state == self._written or (asked and state[3] == self._written[3]):
            return
        with suppress(OSError):  # derivable from the record at any time
            transcript.write_for(self._door, self._table)
            self._written = state

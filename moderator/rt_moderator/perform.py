"""Carrying out what `decide` found: each action a fenced write, and on the deck only right after a check of the fence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rt_config import packed_spec
from rt_config.errors import DeckError, NudgeRefusedError, SessionGoneError, TmuxDownError, UsageError
from rt_mailbox import tables, turns
from rt_moderator import asking, decide, saying, seating
from rt_moderator.ringing import TUI

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rt_deck.sessions import Deck
    from rt_mailbox.door import Door, Reply


_GRACE_SECONDS = 2.0  # for an agent that is told to go; the host holds its lock meanwhile


class Performer:
    """Performs the actions of one look at a table."""

    def __init__(
        self,
        door: Door,
        deck: Deck,
        snapshot: Reply,
        url: str,
        fence: Callable[[], str],
        say: Callable[[str], None],
    ) -> None:
        self._door, self._deck, self._snapshot, self._url = door, deck, snapshot, url
        self._fence, self._say = fence, say
        self._table: str = snapshot["table"]["id"]

    def perform(self, action: decide.Action) -> None:
        """Do it; harmless when it was done before.

        Raises:
            StaleHostError: another host has taken over; nothing was done.
            DeckError, BusError: it could not be done now; the next look finds it again.
        """
        kind = type(action).__name__.lower()
        getattr(self, f"_{kind}")(action)

    def _expire(self, action: decide.Expire) -> None:
        """Close the turn at its deadline: one step, a strike included, unless it was extended meanwhile.

        A runner ends its call by itself; the session of a screen gets as long to drain, then `retire_at` ends it.
        """
        seat = self._seat(action.seat)
        if seat.get("transport") == TUI:
            drain = packed_spec.unpacked(seat["spec"])["drain_timeout_seconds"]
            ends = str(int(self._snapshot["clock_ms"]) + int(drain * 1000))
            tables.set_seat(self._door, self._table, action.seat, {"retire_at": ends}, epoch=self._fence())
        text = f"[TIMEOUT] {action.seat} did not answer {action.turn} within {action.seconds} s"
        how = {"message": text, "epoch": self._fence(), "deadline": action.deadline}
        if turns.close(self._door, self._table, action.turn, "failed", "timeout", **how)["closed"]:
            self._say(text)
        elif seat.get("transport") == TUI:
            tables.set_seat(self._door, self._table, action.seat, {"retire_at": ""}, epoch=self._fence())

    def _nextattempt(self, action: decide.NextAttempt) -> None:
        self._end_screen(self._seat(action.turn.rpartition("/")[2]))
        found = turns.next_attempt(
            self._door, self._table, action.turn, action.attempt, action.rung, epoch=self._fence()
        )
        self._say(
            f"{action.turn}: attempt {action.attempt} failed, attempt {found['attempt']} ({action.rung})"
        )

    def _switch(self, action: decide.Switch) -> None:
        """Put the seat on its other transport; a runner reads its spec before every attempt. Whatever is left undone is repeated."""
        seat, epoch = self._seat(action.seat), self._fence()
        other = packed_spec.unpacked(seat["spec"])["other"]
        self._end_screen(seat)
        told = f"switched from {seat['transport']} to {action.transport}: {action.reason}"
        fields = {"transport": action.transport, "switched": told, "switch_fix": ""}
        tables.set_seat(self._door, self._table, action.seat, fields, event="switched", epoch=epoch)
        fields = {
            "spec": packed_spec.packed(other | {"other": {}}),
            "native_session": "",
            "native_ready": "0",
        }
        tables.set_seat(self._door, self._table, action.seat, fields, epoch=epoch)
        self._say(f"{action.seat} {told}")

    def _end_screen(self, seat: Reply) -> None:
        """End the session of a screen before another attempt: its agent goes on with the failed one otherwise."""
        if seat.get("transport") == TUI:
            fields = {"native_ready": "0", "retire_at": ""}
            tables.set_seat(self._door, self._table, seat["slug"], fields, epoch=self._fence())
            session = self._deck.resolve(seat["tmux"])
            if session is not None:
                self._deck.remove(session.id, _GRACE_SECONDS)

    def _drop(self, action: decide.Drop) -> None:
        epoch = self._fence()
        for turn in action.turns:
            text = f"[ERROR: {action.reason}] {action.seat} did not answer {turn}"
            turns.close(self._door, self._table, turn, "failed", action.reason, message=text, epoch=epoch)
        tables.drop_seat(self._door, self._table, action.seat, action.reason, "", epoch=epoch)
        # Its session stays for `rt seat log`; the runner in it goes by itself when it sees that the seat was dropped.
        if (seat := self._seat(action.seat)).get("transport") == TUI:
            session = self._deck.resolve(seat["tmux"])
            if session is not None and session.state == "running":
                self._deck.halt(session)
        self._say(f"{action.seat} dropped: {action.reason}")

    def _strike(self, action: decide.Strike) -> None:
        epoch = self._fence()
        slug, said = action.seat, self._last_words(action.seat)
        if self._seat(slug).get("transport") == TUI:  # before it is seated again
            tables.set_seat(self._door, self._table, slug, {"native_ready": "0"}, epoch=epoch)
        if action.turn:
            turns.attempt_failed(
                self._door,
                self._table,
                slug,
                action.turn,
                action.attempt,
                action.reason,
                detail=said,
                epoch=epoch,
            )
            tables.set_seat(self._door, self._table, slug, {"counted_mark": action.mark}, epoch=epoch)
        else:
            failures = str(int(self._seat(slug).get("failures") or 0) + 1)
            fields = {"failures": failures, "reason": action.reason, "counted_mark": action.mark}
            tables.set_seat(
                self._door, self._table, slug, fields | {"last_words": said}, event="failed", epoch=epoch
            )
        self._say(f"{slug}: {action.reason}")

    def _unresumed(self, action: decide.Unresumed) -> None:
        fields = {"native_ready": "0", "counted_mark": action.mark}
        epoch = self._fence()
        tables.set_seat(self._door, self._table, action.seat, fields, event="resume_failed", epoch=epoch)
        self._say(f"{action.seat}: {action.reason}; a new session gets the record")

    def _last_words(self, slug: str) -> str:
        """What the screen of a session that ended shows; it is gone with the next session."""
        try:
            return self._deck.capture(self._seat(slug)["tmux"], 20)
        except DeckError:
            return ""

    def _seat(self, slug: str) -> Reply:
        found: Reply = next(seat for seat in self._snapshot["seats"] if seat["slug"] == slug)
        return found

    def _reseat(self, action: decide.Reseat) -> None:
        self._fence()
        try:
            made = self._seated(action.seats)
        except (DeckError, UsageError):
            # All or none were made; one that cannot be must not keep the others away.
            made = [slug for one in action.seats for slug in self._seated_alone(one)]
        for slug in made:
            tables.note(self._door, self._table, "seated", {"seat": slug})
            self._say(f"{slug}: new session")

    def _seated(self, slugs: Sequence[str]) -> list[str]:
        return seating.ensure(self._door, self._deck, self._snapshot, self._url, slugs)

    def _seated_alone(self, slug: str) -> list[str]:
        try:
            return self._seated([slug])
        except (DeckError, UsageError) as exc:
            if self._seat(slug).get("reason") != str(exc):
                blocked = {"state": "blocked", "reason": str(exc)}
                tables.set_seat(self._door, self._table, slug, blocked, event="blocked", epoch=self._fence())
                self._say(f"{slug}: {exc}")
            return []

    def _asknext(self, action: decide.AskNext) -> None:
        epoch = self._fence()
        seats = asking.live_seats(self._snapshot, [action.seat])
        key = saying.robin_key(action.key, action.seat)
        asking.ask(self._door, self._snapshot, action.text, seats, person=action.person, key=key, epoch=epoch)
        left = {"key": action.key, "text": action.text, "person": action.person, "rest": list(action.rest)}
        tables.set_table(self._door, self._table, {"robin": json.dumps(left)}, epoch=epoch)

    def _endrobin(self, _action: decide.EndRobin) -> None:
        tables.set_table(self._door, self._table, {"robin": ""}, event="robin_over", epoch=self._fence())

    def _wake(self, action: decide.Wake) -> None:
        from rt_deck.nudge import nudge_foreign

        table, epoch = self._snapshot["table"], self._fence()
        try:
            nudge_foreign(
                table.get("wake_tmux", ""), table.get("wake_pane", ""), f"rt drain -t {self._table}"
            )
        except NudgeRefusedError as exc:
            self._say(f"the moderator's pane is busy: {exc}")
            return
        except (SessionGoneError, TmuxDownError):
            tables.set_table(self._door, self._table, {"wake": "none"}, event="wake_lost", epoch=epoch)
            return
        tables.set_table(self._door, self._table, {"woken": str(action.upto)}, event="woken", epoch=epoch)

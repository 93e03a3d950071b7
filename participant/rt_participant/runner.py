"""The runner of a seat: waits for turns, has the CLI answer them, and goes when the seat or the table is over.

It keeps nothing: killed at any moment and started again, it takes the same turn again. It imports little until a turn is
there, so that the turn's control mail is leased at once.
"""

from __future__ import annotations

import sys

from rt_config.errors import BusError, RoundtableError
from rt_mailbox import tables, turns
from rt_mailbox.keys import key
from rt_mailbox.waiting import Watch
from rt_participant.duty import Duty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Reply

BUS_GONE = 75  # EX_TEMPFAIL: start it again when the bus is back
_BLOCK_MS = 30_000


class Runner:
    """One seat's runner. `serve` is its life."""

    def __init__(self, duty: Duty) -> None:
        """Nothing is touched yet."""
        self._duty = duty
        self._door, self._space, self._slug = duty.door, duty.space, duty.slug
        self._done: tuple[str, int] = ("", 0)
        self._outages = 0
        self._swept = False

    def serve(self) -> int:
        """Take turns until it is over; returns the exit status.

        Returns:
            0: the seat was dropped, another runner took over, or the table ended. 75: the bus stayed away. 1: the bus
            refused this seat. 128 + n: ended by that signal.
        """
        try:
            return self._serve()
        except BusError as exc:
            self._duty.pane.status(f"{exc}; this seat stops until it is started again")
            return BUS_GONE
        except RoundtableError as exc:
            self._duty.pane.status(f"{exc}")
            return exc.exit_code

    def _sweep(self) -> None:
        """End what an earlier runner of this seat left behind, once."""
        if not self._swept:
            from rt_participant import headless, launch

            headless.sweep(launch.mark_of(self._duty.home, self._duty.table, self._slug), 1.0)
            self._swept = True

    def _serve(self) -> int:
        watch = Watch(self._door, self._space, "events")
        said = ""
        while True:
            seen = turns.peek(self._door, self._space, self._slug)
            if why := self._duty.over(seen):
                self._duty.pane.status(f"{why}.")
                return 0
            if (
                self._door.outages != self._outages
            ):  # a failover may have taken what was done: the record decides
                self._outages, self._done = self._door.outages, ("", 0)
            at = (seen["turn"], seen["attempt"])
            if at[0] and at != self._done:
                said = ""
                if status := self._take(at):
                    return status
                continue
            if said != at[0] + "?":
                said = at[0] + "?"
                self._idle(seen)
            watch.block(_BLOCK_MS)

    def _take(self, at: tuple[str, int]) -> int:
        """Have one attempt made; returns an exit status when the runner was told to stop, else 0."""
        turn, attempt = at
        if self._door.command("HGET", key(self._space, "turn", turn), "failed_attempt") == str(attempt):
            self._done = at  # by an earlier runner; the ladder decides what follows
            return 0
        shown = turns.show(self._door, self._space, self._slug, self._duty.token, self._slug)
        if shown is None or (shown["turn"], shown["attempt"]) != at:
            return 0  # it changed meanwhile; look again
        from rt_participant import work

        self._sweep()
        status = work.Attempt(self._duty, shown).make()
        self._done = at
        return status

    def _idle(self, seen: Reply) -> None:
        if seen["seat_state"] == "starting" and not seen["turn"]:
            tables.set_seat(self._door, self._space, self._slug, {"state": "idle"}, event="ready")
        self._duty.pane.status("waiting for the next attempt." if seen["turn"] else "waiting for a turn.")
        self._sweep()


def main() -> int:
    """Run the seat that this process was started in; returns the exit status."""
    from rt_config import env
    from rt_mailbox import access

    who = access.seat()
    if who is None:
        print("· rt seat run runs inside a seat: RT_TABLE and RT_SEAT are not set.", file=sys.stderr)  # noqa: T201
        return 2
    found = access.open_any(who)
    if found.door.command("HGET", key(who.table, "seat", who.slug), "transport") == "tui":
        from rt_participant import tui

        return tui.enter(found.door, who, env.home())
    duty = Duty(found.door, who, home=env.home(), max_body_bytes=found.max_body_bytes)
    runner = Runner(duty)
    try:
        return runner.serve()
    except KeyboardInterrupt:
        return 130
    finally:
        duty.end_live()
        found.door.close()

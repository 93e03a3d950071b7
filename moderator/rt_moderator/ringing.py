"""Looking at the screens of seats that have one of their own, and doing what `bells` finds: fenced, and checked right before."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rt_config import packed_spec
from rt_config.errors import DeckError, NudgeRefusedError, RoundtableError, StaleHostError
from rt_deck import screen as screens
from rt_deck.nudge import TYPED
from rt_mailbox import tables, turns
from rt_moderator import bells

if TYPE_CHECKING:
    from rt_deck.records import Session
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Door, Reply

TUI = "tui"
_SOON_MS, _LATER_MS = 350, 1000


@dataclass(slots=True)
class _Since:
    """How long a screen has been what it is. Lost with the host, which then only waits a little longer."""

    mark: str
    state: str
    at: float


class Ringer:
    """The bells of one table, across looks."""

    def __init__(
        self, door: Door, table: str, deck: Deck, fence: Callable[[], str], say: Callable[[str], None]
    ) -> None:
        self._door, self._table, self._deck, self._fence, self._say = door, table, deck, fence, say
        self._since: dict[str, _Since] = {}

    def look(
        self, snapshot: Reply, current: Mapping[str, Reply], sessions: Mapping[str, Session] | None
    ) -> int:
        """Look at every screen that has to be looked at, and act; returns in how many ms to look again at the latest.

        Raises:
            StaleHostError: another host has taken over.
        """
        seats = [
            seat
            for seat in snapshot["seats"]
            if _has_screen(seat) and bells.wanted(seat, current.get(seat["slug"]))
        ]
        there = {name: one for name, one in (sessions or {}).items() if one.state == "running"}
        for seat in snapshot["seats"]:
            if seat["tmux"] in there and _outlived(seat, there[seat["tmux"]]):
                self._retire(bells.Retire(seat["slug"]), seat, there[seat["tmux"]])
        seats = [seat for seat in seats if seat["tmux"] in there]
        if not seats:
            return _LATER_MS
        try:
            shown = self._deck.screens([there[seat["tmux"]] for seat in seats])
        except DeckError as exc:
            self._say(f"tmux: {exc}")
            return _LATER_MS
        soon = _LATER_MS
        for seat in seats:
            turn = current.get(seat["slug"])
            if seat["tmux"] in shown:
                state = self._one(
                    seat, turn, there[seat["tmux"]], shown[seat["tmux"]], int(snapshot["clock_ms"])
                )
                waits = (
                    turn is not None and turn.get("leased") != turn["attempt"] and seat["state"] != "blocked"
                )
                soon = _SOON_MS if waits and state in ("ready", "draft", "unknown") else soon
        return soon

    def _one(self, seat: Reply, turn: Reply | None, session: Session, shown: screens.Screen, now: int) -> str:
        spec = _spec(seat["spec"])
        look = self._seen(seat["slug"], session, shown, spec)
        for action in bells.decide(seat, turn, look, now, bells.limits_of(spec)):
            try:
                getattr(self, f"_{type(action).__name__.lower()}")(action, seat, session)
            except StaleHostError:
                raise
            except RoundtableError as exc:
                self._say(f"{seat['slug']}: {exc}")
        return look.state

    def _seen(self, slug: str, session: Session, shown: screens.Screen, spec: dict[str, Any]) -> bells.Look:
        found = screens.read(shown, screens.signals(spec["signals"]))
        before, moment = self._since.get(slug), time.monotonic()
        if before is None or (before.mark, before.state) != (session.mark, found.state):
            before = self._since[slug] = _Since(session.mark, found.state, moment)
        silent = max(0, int((time.time() - session.activity) * 1000))
        words, lasted = screens.last_words(shown), int((moment - before.at) * 1000)
        login = _login(spec, found.asks)
        return bells.Look(found.state, found.draft, lasted, silent, words, login, session.mark)

    def _ring(self, action: bells.Ring, seat: Reply, session: Session) -> None:
        """On the bus before it is typed: killed in between, a nudge is late, never doubled."""
        if self._now(seat, session) != "ready":
            return
        bell = action.bell
        self._keep(action.seat, bell)
        about = {
            "seat": action.seat,
            "turn": bell.turn,
            "attempt": str(bell.attempt),
            "nudge": str(bell.rings),
        }
        tables.note(self._door, self._table, "nudged", about, epoch=self._fence())
        try:
            self._deck.nudge(session, bells.LINE)
        except NudgeRefusedError as exc:
            if not str(exc.reason).startswith(TYPED):
                self._keep(action.seat, replace(bell, rings=bell.rings - 1))
            raise
        self._say(f"{action.seat}: nudged for {bell.turn}")

    def _enteragain(self, action: bells.EnterAgain, seat: Reply, session: Session) -> None:
        if self._now(seat, session) != "draft":
            return
        self._keep(action.seat, action.bell)
        about = {"seat": action.seat, "turn": action.bell.turn, "enter": str(action.bell.enters)}
        tables.note(self._door, self._table, "nudged", about, epoch=self._fence())
        self._deck.enter(session)
        self._say(f"{action.seat}: its Enter was swallowed, sent again")

    def _now(self, seat: Reply, session: Session) -> str:
        """What the screen shows at this very moment."""
        shown = self._deck.screens([session]).get(session.name)
        return screens.read(shown, screens.signals(_spec(seat["spec"])["signals"])).state if shown else "dead"

    def _keep(self, slug: str, bell: bells.Bell) -> None:
        tables.set_seat(self._door, self._table, slug, {"bell": bell.dumps()}, epoch=self._fence())

    def _show(self, action: bells.Show, seat: Reply, _session: Session) -> None:
        fields = {"state": action.state, "reason": action.reason}
        if action.mark:
            fields["seen_mark"] = action.mark
        event = "blocked" if action.state == "blocked" else "" if action.reason else "ready"
        tables.set_seat(self._door, self._table, action.seat, fields, event=event, epoch=self._fence())
        if action.reason:
            self._say(f"{action.seat}: {action.reason}")

    def _fail(self, action: bells.Fail, _seat: Reply, _session: Session) -> None:
        turns.attempt_failed(
            self._door,
            self._table,
            action.seat,
            action.turn,
            action.attempt,
            action.reason,
            epoch=self._fence(),
        )
        self._say(f"{action.seat}: {action.reason}")

    def _retire(self, action: bells.Retire, seat: Reply, session: Session) -> None:
        self._fence()
        with suppress(DeckError):
            self._deck.remove(session.id, 2.0)
        tables.set_seat(self._door, self._table, action.seat, {"retire_at": ""}, epoch=self._fence())
        self._say(f"{action.seat}: its session was ended, it gets a new one")


def _login(spec: dict[str, Any], line: str) -> str:
    """What a screen wants, when that is a login and the profile says how to do it."""
    for pattern in spec["auth_failure"] if line else ():
        if said := re.search(pattern, line, re.IGNORECASE):
            return f"not logged in ({said[0]})" + (f": {spec['login']}" if spec["login"] else "")
    return ""


def _has_screen(seat: Reply) -> bool:
    return seat["state"] != "dropped" and seat.get("transport") == TUI


def _outlived(seat: Reply, session: Session) -> bool:
    """Whether the agent on this screen was started for what the seat was before; whoever changed that was killed half way."""
    if seat["state"] == "dropped" or seat.get("seen_mark") != session.mark:
        return False
    return not _has_screen(seat) or seat.get("launched_as") != seat.get("generation")


@lru_cache(maxsize=64)
def _spec(text: str) -> dict[str, Any]:
    return packed_spec.unpacked(text)

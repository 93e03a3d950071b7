"""When the bell of a seat with its own screen rings: a pure function from turn, screen and what was rung to actions.

At most one nudge is outstanding per seat; none is rung into a busy screen, a dialog, copy mode, a draft or a screen that
nobody knows, and none when nothing is due. A nudge proves nothing: the turn is taken when it was leased.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_deck.screen import State
    from rt_mailbox.door import Reply

LINE = (
    "roundtable: a turn is open for you. Run: rt turn (or call roundtable_turn), then answer with rt reply."
)
MOST_RINGS = 3  # per attempt
MOST_ENTERS = 4  # per nudge
RESEND_MS = 15_000  # a nudge that led to nothing is rung again, each time after twice as long
ENTER_MS = (
    1000  # how long a typed line may stand there before its Enter counts as swallowed; then twice as long
)
IDLE_MS = 20_000  # an agent that took its turn and waits for so long has stopped without an answer
SETTLE_MS = 300  # a screen counts as ready once it was seen so twice
DIALOG_MS = 2_000
HELD_MS = 10_000  # after so long the status says what holds a nudge back


@dataclass(frozen=True, slots=True)
class Bell:
    """What was rung for one attempt in one session. Kept with the seat."""

    turn: str = ""
    attempt: int = 0
    mark: str = ""
    rings: int = 0
    enters: int = 0
    at: int = 0  # ms of the server's clock: the last ring, or the last Enter

    def dumps(self) -> str:
        """As the seat's hash holds it."""
        return json.dumps([self.turn, self.attempt, self.mark, self.rings, self.enters, self.at])


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a seat's screen saw."""

    state: State
    draft: str = ""
    for_ms: int = 0  # it has been in this state without a break
    silent_ms: int = 0  # since its last output
    words: str = ""  # its last lines
    login: str = ""  # what it wants, when that is a login
    mark: str = ""  # which session


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient the seat's profile is, in ms; 0: for ever."""

    start: int = 60_000
    unknown: int = 15_000
    inactivity: int = 300_000


@dataclass(frozen=True, slots=True)
class Ring:
    """Type the line and Enter."""

    seat: str
    bell: Bell


@dataclass(frozen=True, slots=True)
class EnterAgain:
    """The line stands in the input: Enter alone."""

    seat: str
    bell: Bell


@dataclass(frozen=True, slots=True)
class Show:
    """The seat's state, and why, as `rt status` shows them."""

    seat: str
    state: Literal["idle", "busy", "blocked"]
    reason: str = ""
    mark: str = ""  # the session that was seen ready; empty when it was not


@dataclass(frozen=True, slots=True)
class Fail:
    """The attempt has failed: a strike."""

    seat: str
    turn: str
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Retire:
    """A session that must not go on: its turn ran out of time and it had its time to drain, or the seat starts anew each turn.

    The seat gets a new one.
    """

    seat: str


Action: TypeAlias = Ring | EnterAgain | Show | Fail | Retire


def bell_of(seat: Reply) -> Bell:
    """The bell that a seat's hash holds."""
    return Bell(*json.loads(seat["bell"])) if seat.get("bell") else Bell()


def wanted(seat: Reply, turn: Reply | None) -> bool:
    """Whether somebody has to look at the seat's screen at all."""
    return (
        turn is not None or seat["state"] in ("starting", "blocked", "failed") or bool(seat.get("retire_at"))
    )


def decide(seat: Reply, turn: Reply | None, look: Look, now: int, limits: Limits) -> list[Action]:
    """What this look asks for.

    Args:
        seat: live, with a session that runs.
        turn: its current one, if any.
        look: at its screen.
        now: ms of the server's clock.
        limits: of its profile.
    """
    if seat.get("retire_at") and (turn is not None or look.state != "busy" or now >= int(seat["retire_at"])):
        return [Retire(seat["slug"])]
    if turn is not None and turn.get("failed_attempt") == turn["attempt"]:
        return []  # the ladder goes first
    if turn is not None and seat.get("fresh") == "1" and _served(bell_of(seat), turn, look):
        return [Retire(seat["slug"])]
    shown = _shown(seat, turn, look, limits)
    return shown + (_rung(seat, turn, look, now, limits) if turn is not None else [])


def _shown(seat: Reply, turn: Reply | None, look: Look, limits: Limits) -> list[Action]:
    """How the seat's state follows its screen; '' in `seen_mark` of another session means that this one never was ready."""
    slug, seen = seat["slug"], seat.get("seen_mark") == look.mark
    if look.state in ("dialog", "unknown"):
        patience = {"dialog": DIALOG_MS, "unknown": limits.unknown if seen else limits.start}[look.state]
        what = "asks something" if look.state == "dialog" else "shows something unknown"
        reason = look.login or f"its screen {what}: {look.words}"
        if look.for_ms < patience or (seat["state"] == "blocked" and seat.get("reason") == reason):
            return []
        return [Show(slug, "blocked", reason)]
    if look.state == "dead" or (seen and seat["state"] not in ("starting", "blocked", "failed")):
        return []
    if not seen and look.state not in ("ready", "draft"):
        return []
    return [Show(slug, "busy" if _leased(turn) else "idle", mark=look.mark)]


def _rung(seat: Reply, turn: Reply, look: Look, now: int, limits: Limits) -> list[Action]:
    attempt, slug = int(turn["attempt"]), seat["slug"]
    bell = bell_of(seat)
    if (bell.turn, bell.attempt, bell.mark) != (turn["id"], attempt, look.mark):
        bell = Bell(turn["id"], attempt, look.mark)
    if look.state == "ready":
        return _ready(seat, turn, bell, look, now)
    if look.state == "draft" and bell.rings and _is_ours(look.draft):
        if now - bell.at < ENTER_MS * 2**bell.enters:
            return []
        if bell.enters < MOST_ENTERS:
            return [EnterAgain(slug, replace(bell, enters=bell.enters + 1, at=now))]
        return [Fail(slug, turn["id"], attempt, f"its screen takes no Enter: {look.words}")]
    if look.state == "busy" and _leased(turn) and limits.inactivity and look.silent_ms >= limits.inactivity:
        why = f"inactivity: nothing came for {limits.inactivity / 1000:g} s"
        return [Fail(slug, turn["id"], attempt, why)]
    return _held(seat, turn, look)


def _ready(seat: Reply, turn: Reply, bell: Bell, look: Look, now: int) -> list[Action]:
    """The first ring at once; later ones only when the screen has been ready all the time since."""
    leased = _leased(turn)
    patience = SETTLE_MS
    if bell.rings:
        patience = (IDLE_MS if leased else RESEND_MS) * 2 ** (bell.rings - 1)
    elif leased and seat.get("seen_mark") == look.mark and now - int(turn.get("leased_at") or 0) < IDLE_MS:
        return []  # it has looked at its turn by itself
    if look.for_ms < patience or now - bell.at < patience:
        return []
    if bell.rings < MOST_RINGS:
        return [Ring(seat["slug"], replace(bell, rings=bell.rings + 1, enters=0, at=now))]
    what = "it stopped without an answer" if leased else "it did not take its turn"
    reason = f"{what} after {bell.rings} nudges: {look.words}"
    return [Fail(seat["slug"], turn["id"], int(turn["attempt"]), reason)]


def _held(seat: Reply, turn: Reply, look: Look) -> list[Action]:
    """Say what holds a nudge back; the turn's deadline goes on."""
    reasons = {
        "draft": "a draft stands in its input line",
        "copy_mode": "somebody reads its screen in copy mode",
    }
    reason = reasons.get(look.state, "")
    if not reason or _leased(turn) or look.for_ms < HELD_MS or seat.get("reason") == f"not nudged: {reason}":
        return []
    return [Show(seat["slug"], "idle", f"not nudged: {reason}", look.mark)]


def _served(bell: Bell, turn: Reply, look: Look) -> bool:
    """Whether this session was asked for another turn before, which a seat that starts anew each time must not know."""
    return bell.mark == look.mark and bell.turn not in ("", turn["id"])


def _leased(turn: Reply | None) -> bool:
    return turn is not None and turn.get("leased") == turn["attempt"]


def _is_ours(draft: str) -> bool:
    """Whether what stands in the input is our own line, or the part of it that fits there."""
    plain = " ".join(draft.split())
    return len(plain) >= 10 and (plain in LINE or LINE in plain)


def limits_of(spec: Mapping[str, float]) -> Limits:
    """The patience of a launch spec."""
    names = ("start_seconds", "unknown_seconds", "inactivity_seconds")
    return Limits(*(int(spec[name] * 1000) for name in names))

"""The seats: who does what, in which turn, with how much time left. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style

from rt_moderator import status_view
from rt_moderator.watching.styles import BAD, BOLD, DIM, HUES, NONE, Line, between, fitted, segment
from rt_moderator.words import cells, clock
from rt_participant.show import line

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_WORDS = {"failed": "FAILED", "blocked": "BLOCKED", "dropped": "DROPPED"}
_QUIET = frozenset({"idle", "answered"})


class Seat:
    """One seat at one moment: `word` what it does, `turn`, `detail` how long or why."""

    def __init__(self, snapshot: Reply, seat: Reply, hue: Style) -> None:
        self.slug, self.hue = seat["slug"], hue
        self.runs = line(" ".join(filter(None, (seat.get("profile"), seat.get("effective_model") or seat.get("model"), seat.get("transport")))), 60)  # fmt: skip
        self.role = line(seat.get("role", ""), 60)
        self.turn, self.detail = "", ""
        self.bad = seat["state"] in _WORDS
        if self.bad:
            self.word, self.detail = _WORDS[seat["state"]], line(seat.get("reason", ""), 120)
        else:
            self._doing(snapshot, seat)

    def _doing(self, snapshot: Reply, seat: Reply) -> None:
        mine = [turn for turn in status_view.open_turns(snapshot) if turn["seat"] == self.slug]
        if mine:
            turn = mine[0]
            self.turn = line(turn["id"], 60)
            left = status_view.seconds_left(snapshot, turn["id"])
            self.word = "answering" if turn.get("leased") == turn["attempt"] else "asked"
            more = f" +{len(mine) - 1}" if len(mine) > 1 else ""
            self.detail = (f"{clock(left)} left" if left else "time is up") + more
            return
        step = snapshot["table"].get("step")
        last = next(
            (t for t in reversed(snapshot["turns"]) if t["seat"] == self.slug and t["step"] == step), None
        )
        self.word = seat["state"]
        if last is None or seat["state"] == "starting":
            return
        self.turn, self.word = line(last["id"], 60), last["state"]
        self.bad = last["state"] == "failed"
        self.detail = (
            f"m{last['reply_seq']}" if last["state"] == "answered" else line(last.get("reason", ""), 60)
        )

    @property
    def quiet(self) -> bool:
        """Whether it needs no line of its own where there is little room."""
        return self.word in _QUIET

    @property
    def style(self) -> Style:
        """Of its word."""
        return BAD if self.bad else (DIM if self.quiet else BOLD)


def hues(snapshot: Reply) -> dict[str, Style]:
    """Each seat's colour."""
    return {seat["slug"]: HUES[at % len(HUES)] for at, seat in enumerate(snapshot["seats"])}


def seats(snapshot: Reply, clock_ms: int, colours: Mapping[str, Style]) -> list[Seat]:
    """All seats at that time of the server's clock."""
    now = {**snapshot, "clock_ms": clock_ms}
    return [Seat(now, seat, colours[seat["slug"]]) for seat in snapshot["seats"]]


def rows(found: list[Seat], room: int, most: int) -> list[Line]:
    """A line each in aligned columns; where there are more than `most`, the quiet ones share the last line."""
    shown, rest = found, []
    if len(found) > most:
        loud = [seat for seat in found if not seat.quiet]
        shown = loud[: max(0, most - 1)]
        rest = [seat for seat in found if seat not in shown]
    widths = [max(map(cells, column)) for column in zip(*map(_columns, found), strict=True)]
    lines = [fitted(_row(seat, widths), room) for seat in shown]
    if rest:
        words = ", ".join(f"{seat.slug} {(seat.quiet and seat.detail) or seat.word}" for seat in rest)
        lines.append(fitted([segment(f"  {words}", DIM)], room))
    return lines


def _columns(seat: Seat) -> tuple[str, str, str, str]:
    return (seat.slug, seat.word, "", "") if seat.bad else (seat.slug, seat.word, seat.detail, seat.turn)


def _row(seat: Seat, widths: list[int]) -> Line:
    """A seat that cannot answer says why where others have their turn and what they run on."""
    parts = [Segment("  ")]
    for text, size, style in zip(_columns(seat), widths, (seat.hue, seat.style, NONE, DIM), strict=True):
        if size and not (seat.bad and not text):
            parts += [Segment(text, style), Segment(" " * (size - cells(text) + 2))]
    return [*parts, Segment(seat.detail) if seat.bad else Segment(seat.runs, DIM)]


def column(found: list[Seat], room: int, most: int) -> list[Line]:
    """Seats below each other beside the record: two lines each, one where there is less room."""
    tall = len(found) * 3 <= most
    lines: list[Line] = []
    for seat in found:
        lines.append(
            between(
                [Segment(seat.slug, seat.hue), Segment(f"  {seat.word}", seat.style)],
                [Segment(seat.detail if not seat.bad else "")],
                room,
            )
        )
        if seat.bad and seat.detail:
            lines.append(fitted([Segment(f"  {seat.detail}")], room))
        elif tall:
            role = "" if seat.role.casefold() == seat.slug else seat.role
            about = " · ".join(filter(None, (seat.turn.partition("/")[0], role, seat.runs)))
            lines.append(fitted([Segment(f"  {about}", DIM)], room))
        if tall:
            lines.append(fitted([], room))
    return lines

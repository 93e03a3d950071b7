"""The whole screen of a state: what is wrong first, who sits there, the record, what to type. Pure, but for what it remembers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.segment import Segment

from rt_moderator import status_view
from rt_moderator.watching import foot, moving, scrolling, seat_lines
from rt_moderator.watching.bodies import Bodies
from rt_moderator.watching.head import head, side
from rt_moderator.watching.helping import help_lines
from rt_moderator.watching.model import State, index_of
from rt_moderator.watching.record_lines import Record
from rt_moderator.watching.styles import DIM, Line, fitted, segment

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_WIDE = 110  # columns from which the seats stand beside the record
_LEAST = 4  # lines of the record


@dataclass(frozen=True, slots=True)
class Frame:
    """Lines, as many as the screen has, each as wide as it; where the cursor stands, if it does."""

    lines: list[Line]
    cursor: tuple[int, int] | None = None


class Drawing:
    """Draws states at a size; is the pane that moving asks. Remembers what is costly: bodies, and the status of a moment."""

    def __init__(self, columns: int, lines: int) -> None:
        self._bodies = Bodies()
        self._status: tuple[Reply, dict[str, Any]] | None = None
        self._drawn: tuple[State, int, int, list[Line]] | None = None
        self.columns, self.rows = columns, lines

    def resize(self, columns: int, lines: int) -> bool:
        """Draw for this size from now on; whether it is another one."""
        before = self.columns, self.rows
        self.columns, self.rows = max(20, columns), max(6, lines)
        return before != (self.columns, self.rows)

    def frame(self, state: State, now: float) -> Frame:
        """The screen at the monotonic time `now`."""
        top, below = self._above(state, now), self._foot(state)
        room = self.rows - len(top) - len(below.lines)
        main = self._remembered(state, room)
        if not state.snapshot:
            main = [fitted(line, self.columns) for line in main]
        elif self._wide:
            beside = side(state, self._status_of(state), self._seats(state, now), self._side, room)
            main = [[*left, segment(" │ ", DIM), *right] for left, right in zip(main, beside, strict=True)]
        cursor = None if below.cursor is None else (len(top) + room + below.cursor[0], below.cursor[1])
        return Frame([*top, *main, *below.lines], cursor)

    def room(self, state: State) -> int:
        """Lines of the record's pane."""
        return self.rows - len(self._above(state, state.received)) - len(self._foot(state).lines)

    def height(self, state: State) -> Callable[[int], int]:
        """Lines of the record's items."""
        return self._record(state).height()

    @property
    def _wide(self) -> bool:
        return self.columns >= _WIDE

    @property
    def _side(self) -> int:
        return min(46, self.columns // 3)

    @property
    def _pane(self) -> int:
        return self.columns - self._side - 3 if self._wide else self.columns

    def _record(self, state: State) -> Record:
        colours = seat_lines.hues(state.snapshot) if state.snapshot else {}
        return Record(state, self._pane, self._bodies, colours)

    def _remembered(self, state: State, room: int) -> list[Line]:
        """The record's lines: when the clock alone has gone on they are those of the last drawing."""
        known = self._drawn
        if known is None or known[0] is not state or known[1:3] != (room, self._pane):
            self._drawn = known = (state, room, self._pane, self._main(state, room))
        return known[3]

    def _main(self, state: State, room: int) -> list[Line]:
        empty = fitted([], self._pane)
        if state.help:
            lines = help_lines(self._pane)
        elif not state.items:
            lines = [empty, fitted([segment(f"    {_nothing(state)}", DIM)], self._pane)]
        else:
            lines = self._items(state, room)
        return [*lines, *[empty] * room][:room]

    def _items(self, state: State, room: int) -> list[Line]:
        record, lines = self._record(state), []
        chosen = index_of(state, state.chosen)
        for index, first, last in scrolling.seen(
            moving.place(state, self), record.height(), len(state.items), room
        ):
            lines += record.lines(state.items[index], chosen=index == chosen)[first:last]
        return lines

    def _above(self, state: State, now: float) -> list[Line]:
        if not state.snapshot:
            return [fitted([segment(f" {state.bus}" if state.bus else "")], self.columns)]
        small = self.rows < 30
        lines = head(state, self._status_of(state), self.columns, 3 if small else 5)
        if not self._wide:
            most = max(1, min(self.rows // 4, self.rows - len(lines) - _LEAST - 4))
            lines += seat_lines.rows(self._seats(state, now), self.columns, most)
        return [*lines[: max(0, self.rows - _LEAST - 4)], self._rule("┬")]

    def _foot(self, state: State) -> foot.Foot:
        status = self._status_of(state) if state.snapshot else {}
        return foot.foot(state, status, self.columns, self._rule("┴" if status else "─"))

    def _rule(self, tee: str) -> Line:
        """Across the screen, meeting the line between record and seats."""
        if not self._wide:
            return [Segment("─" * self.columns, DIM)]
        return [Segment("─" * (self._pane + 1) + tee + "─" * (self._side + 1), DIM)]

    def _seats(self, state: State, now: float) -> list[seat_lines.Seat]:
        return seat_lines.seats(state.snapshot, state.clock_ms(now), seat_lines.hues(state.snapshot))

    def _status_of(self, state: State) -> dict[str, Any]:
        if self._status is None or self._status[0] is not state.snapshot:
            self._status = (state.snapshot, status_view.view(state.snapshot))
        return self._status[1]


def _nothing(state: State) -> str:
    if not state.snapshot:
        return "reading the table"
    return "nothing passes the filter; esc shows all" if state.filter else "nothing was said yet"

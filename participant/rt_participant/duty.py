"""What a seat's runner is bound to: its seat, its doors, its pane, and whether the seat is still its own."""

from __future__ import annotations

from rt_mailbox.patience import WAIT_SECONDS, PatientDoor
from rt_participant.pane import Pane

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from rt_mailbox.access import Seat
    from rt_mailbox.door import Door, Reply
    from rt_participant.acp_session import LiveSession

_OVER = frozenset({"archived", ""})  # an ended table keeps its seats; '' when the space is gone


class Duty:
    """One runner's seat. Touches nothing by itself."""

    def __init__(
        self,
        door: Door,
        who: Seat,
        *,
        home: str = "",
        max_body_bytes: int = 0,
        out: TextIO | None = None,
        bus_wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Bind.

        Args:
            door: for this runner alone.
            who: the seat; its table's id is its space too.
            home: RT_HOME; tells this seat's processes from those of a table of the same name elsewhere.
            max_body_bytes: the limit of a reply; 0 for the default.
            out: where the pane's lines go; stdout when None.
            bus_wait_seconds: how long the bus may be away.
        """
        self.pane = Pane(out)
        self.raw_door = door
        self.door = PatientDoor(door, bus_wait_seconds, self.pane.status)
        self.space = self.table = who.table
        self.slug, self.token, self.home, self.max_body_bytes = who.slug, who.token, home, max_body_bytes
        self.live: LiveSession | None = None  # across turns, on the transport acp
        self._generation: str | None = None

    def over(self, seen: Reply) -> str:
        """Why there is nothing more to do here, by what `turns.peek` saw; '' while there is.

        The first look fixes the generation: when a later one shows another, another runner has taken the seat over.
        """
        if self._generation is None:
            self._generation = seen["generation"]
        if seen["seat_state"] == "dropped":
            return "this seat was dropped"
        if seen["table_state"] in _OVER:
            return "the table was put away"
        return "" if seen["generation"] == self._generation else "another runner has taken this seat over"

    def end_live(self) -> None:
        """End the live session with its agent, if there is one, because this runner ends."""
        if self.live is not None:
            self.live.interrupted()
            self.live = None

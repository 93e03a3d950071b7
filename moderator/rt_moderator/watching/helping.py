"""The screen of `?`."""

from __future__ import annotations

from rich.segment import Segment

from rt_moderator.watching.styles import BOLD, DIM, Line, fitted, segment

_HELP = (
    ("↑ ↓  j k", "a line"),
    ("PgUp PgDn  b space", "a page"),
    ("Home End  g G", "the beginning; the end, where it follows the record"),
    ("Tab Shift-Tab  n p", "the next and the previous message or round"),
    ("Enter  f", "fold or unfold this round; all rounds"),
    ("m", "jump to a message by its number"),
    ("/  Esc", "show only a seat, a round or both; show all"),
    ("s", "say something as user, to the seats or a format"),
    ("d", "mark what is unread (●) as read, as rt drain does"),
    ("o", "open a seat (rt attach); C-b d comes back here"),
    ("1 … 9", "decide what the line below offers"),
    ("q", "quit; Ctrl-L draws anew, Ctrl-Z suspends"),
)


def help_lines(room: int) -> list[Line]:
    """All keys."""
    lines = [fitted([Segment(f"   {keys:<20}", BOLD), segment(told)], room) for keys, told in _HELP]
    return [*lines, fitted([segment("   any key goes back", DIM)], room)]

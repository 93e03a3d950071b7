"""What a key asks the world to do; the screen carries it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rt_moderator.watching.model import Prompt


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave. `interrupted`: by Ctrl-C."""

    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Redraw:
    """Draw every line again."""


@dataclass(frozen=True, slots=True)
class Suspend:
    """Back to the shell until `fg`."""


@dataclass(frozen=True, slots=True)
class Drain:
    """Mark the moderator's unread messages up to `upto` as read."""

    upto: int


@dataclass(frozen=True, slots=True)
class Say:
    """Say it as the user, to `to` or to all. `prompt` is where it was typed."""

    text: str
    to: Sequence[str]
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Decide:
    """Decide at the gate, or try failed turns again."""

    choice: str
    text: str
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Open:
    """Sit beside a seat until the person comes back."""

    seat: str


Act = Quit | Redraw | Suspend | Drain | Say | Decide | Open

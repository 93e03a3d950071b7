"""The deck: agent sessions in tmux. Knows nothing of mail."""

from rt_deck.nudge import caller_pane, nudge_foreign
from rt_deck.records import Session, Spec
from rt_deck.sessions import Deck
from rt_deck.tmux import Tmux
from rt_deck.view import attach

__all__ = ["Deck", "Session", "Spec", "Tmux", "attach", "caller_pane", "nudge_foreign"]

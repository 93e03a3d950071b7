"""Moving about in the record: scrolling, choosing, folding, jumping. Pure; the pane says how high things are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from rt_moderator.watching import scrolling
from rt_moderator.watching.model import Anchor, Filter, State, arranged, index_of, is_folded
from rt_moderator.watching.scrolling import Place


class Pane(Protocol):
    """The place where the record is shown."""

    def room(self, state: State) -> int:
        """How many lines it has."""

    def height(self, state: State) -> Callable[[int], int]:
        """How many lines the item of an index takes."""


def place(state: State, pane: Pane) -> Place:
    """The first line that the pane shows."""
    height, count, room = pane.height(state), len(state.items), pane.room(state)
    if state.top is None or not count:
        return scrolling.end(height, count, room)
    index = index_of(state, state.top.key)
    line = state.top.line if state.items[index].key == state.top.key else 0
    return scrolling.moved(Place(index, line), 0, height, count, room)


def scrolled(state: State, by: int, pane: Pane) -> State:
    """`by` lines down; at the end the pane stays there while the record grows. The choice comes along."""
    height, count, room = pane.height(state), len(state.items), pane.room(state)
    moved = _placed(state, scrolling.moved(place(state, pane), by, height, count, room), pane)
    shown = [index for index, _, _ in scrolling.seen(place(moved, pane), height, count, room)]
    if not shown or moved.top is None:
        return moved
    chosen = min(max(index_of(moved, moved.chosen), shown[0]), shown[-1])
    return replace(moved, chosen=moved.items[chosen].key)


def _placed(state: State, where: Place, pane: Pane) -> State:
    """With the pane at `where`, or at the end, where choosing nothing means the last."""
    end = scrolling.end(pane.height(state), len(state.items), pane.room(state))
    if not state.items or (where.index, where.line) >= (end.index, end.line):
        return replace(state, top=None)
    return replace(state, top=Anchor(state.items[where.index].key, where.line))


def stepped(state: State, by: int, pane: Pane) -> State:
    """Choose the next item, or the one before; the pane follows."""
    if not state.items:
        return state
    index = min(max(index_of(state, state.chosen) + by, 0), len(state.items) - 1)
    if index == len(state.items) - 1 and by > 0:
        return at_end(state)
    return shown(replace(state, chosen=state.items[index].key), index, pane)


def shown(state: State, index: int, pane: Pane) -> State:
    """With the item `index` in sight."""
    height, count, room = pane.height(state), len(state.items), pane.room(state)
    return _placed(state, scrolling.showing(place(state, pane), index, height, count, room), pane)


def at_end(state: State) -> State:
    """The pane at the end of the record, where it stays."""
    return replace(state, top=None, chosen=None)


def at_start(state: State, pane: Pane) -> State:
    """The pane at the beginning."""
    if not state.items:
        return state
    return _placed(replace(state, chosen=state.items[0].key), Place(0, 0), pane)


def folded(state: State, pane: Pane) -> State:
    """The round of the choice folded, or unfolded with its head at the top of the pane."""
    if not state.items:
        return state
    number = state.items[index_of(state, state.chosen)].round
    folds = {**state.folds, number: not is_folded(state, number)}
    return _at(arranged(replace(state, folds=folds)), (number, 0), pane)


def all_folded(state: State, pane: Pane) -> State:
    """Every round unfolded when one is folded, else all folded."""
    if not state.items:
        return state
    number = state.items[index_of(state, state.chosen)].round
    fold = not any(item.folded for item in state.items)
    folds = {item.round: fold for item in state.items}
    return _at(arranged(replace(state, folds=folds)), (number, 0), pane)


def jumped(state: State, seq: int, pane: Pane) -> State:
    """At the message `seq`, whatever hides it."""
    entry = next((one for one in state.entries if one.seq == seq), None)
    if entry is None:
        head = state.entries[-1].seq if state.entries else 0
        return replace(state, notice=f"m{seq} does not exist; the record ends at m{head}")
    if not state.filter.shows(entry):
        state = replace(state, filter=Filter())
    folds = {**state.folds, entry.round: False}
    return _at(arranged(replace(state, folds=folds)), (entry.round, seq), pane)


def filtered(state: State, wanted: Filter) -> State:
    """Only what passes, from its end."""
    return at_end(arranged(replace(state, filter=wanted)))


def _at(state: State, key: tuple[int, int], pane: Pane) -> State:
    index = index_of(state, key)
    return _placed(replace(state, chosen=state.items[index].key), Place(index, 0), pane)

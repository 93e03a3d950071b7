"""What a key does: to the view, or to the world. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rt_moderator import formats, status_view
from rt_moderator.watching import acts, moving
from rt_moderator.watching.editing import Field
from rt_moderator.watching.model import Prompt, State, index_of
from rt_moderator.watching.moving import Pane
from rt_moderator.watching.prompting import prompted

Pressed = tuple[State, list[acts.Act]]


def press(state: State, key: str, pane: Pane) -> Pressed:
    """The state after a key, and what is to be done; the next key clears a notice."""
    if key in _ALWAYS:
        return state, [_ALWAYS[key]]
    state = replace(state, notice="")
    if state.prompt is not None:
        return prompted(state, key, pane)
    if state.help:
        return replace(state, help=False), []
    if key in _MOVES:
        return _MOVES[key](state, pane), []
    if key in _ACTS:
        return _ACTS[key](state)
    return _chosen(state, key), []


def choices(state: State) -> list[str]:
    """What can be decided now: what the gate offers, or retry when the latest step has failed turns."""
    about = state.about
    if about.get("state") != "open":
        return []
    if about.get("gate"):
        return formats.offered(about)[:9]
    turns = state.snapshot["turns"]
    failed = any(turn["step"] == about.get("step") and turn["state"] == "failed" for turn in turns)
    running = formats.runs(about) or status_view.open_turns(state.snapshot)
    return ["retry"] if failed and not running else []


def _chosen(state: State, key: str) -> State:
    """A digit begins the decision that is offered under it."""
    about = dict(zip("123456789", choices(state), strict=False)).get(key)
    return replace(state, prompt=Prompt("decide", about=about)) if about else state


def _say(state: State) -> Pressed:
    if state.about.get("state") != "open":
        return replace(state, notice="this table takes no questions any more: rt resume opens it again"), []
    return replace(state, prompt=Prompt("say")), []


def _drain(state: State) -> Pressed:
    if not state.snapshot.get("unread") or not state.entries:
        return replace(state, notice="nothing is unread"), []
    return state, [acts.Drain(state.entries[-1].seq)]


def _open(state: State) -> Pressed:
    seats = [seat["slug"] for seat in state.snapshot.get("seats", ())]
    if not seats:
        return state, []
    item = state.items[index_of(state, state.chosen)] if state.items else None
    near = state.entries[item.at].slug if item and item.seq else ""
    busy = status_view.answering(state.snapshot)
    first = near if near in seats else [*busy, *seats][0]
    return replace(state, prompt=Prompt("open", Field.of(first))), []


def _prompt(what: str) -> Callable[[State], Pressed]:
    return lambda state: (replace(state, prompt=Prompt(what)), [])


def _unfiltered(state: State, _: Pane) -> State:
    return moving.filtered(state, type(state.filter)()) if state.filter else state


_ALWAYS: dict[str, acts.Act] = {
    "ctrl-c": acts.Quit(interrupted=True),
    "ctrl-l": acts.Redraw(),
    "ctrl-z": acts.Suspend(),
}
_MOVES: dict[str, Callable[[State, Pane], State]] = {
    **dict.fromkeys(("up", "k"), lambda s, p: moving.scrolled(s, -1, p)),
    **dict.fromkeys(("down", "j"), lambda s, p: moving.scrolled(s, 1, p)),
    **dict.fromkeys(("pgup", "b"), lambda s, p: moving.scrolled(s, 1 - p.room(s), p)),
    **dict.fromkeys(("pgdn", " "), lambda s, p: moving.scrolled(s, p.room(s) - 1, p)),
    **dict.fromkeys(("home", "g"), moving.at_start),
    **dict.fromkeys(("end", "G"), lambda s, _: moving.at_end(s)),
    **dict.fromkeys(("tab", "n", "right"), lambda s, p: moving.stepped(s, 1, p)),
    **dict.fromkeys(("backtab", "p", "left"), lambda s, p: moving.stepped(s, -1, p)),
    "enter": moving.folded,
    "f": moving.all_folded,
    "esc": _unfiltered,
}
_ACTS: dict[str, Callable[[State], Pressed]] = {
    "q": lambda s: (s, [acts.Quit()]),
    "?": lambda s: (replace(s, help=True), []),
    "h": lambda s: (replace(s, help=True), []),
    "s": _say,
    "d": _drain,
    "o": _open,
    "m": _prompt("jump"),
    "/": _prompt("filter"),
}

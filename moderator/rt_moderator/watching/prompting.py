"""The line that is being typed: how it is asked for, and what Enter makes of it. Pure."""

from __future__ import annotations

from dataclasses import replace

from rt_moderator import formats
from rt_moderator.watching import acts, moving
from rt_moderator.watching.editing import completed, typed
from rt_moderator.watching.model import Filter, Prompt, State
from rt_moderator.watching.moving import Pane

Pressed = tuple[State, list[acts.Act]]


def prompted(state: State, key: str, pane: Pane) -> Pressed:
    """A key while a line is being typed."""
    prompt = state.prompt
    if prompt is None:
        return state, []
    if key == "esc" or (key == "backspace" and not prompt.field.text):
        return replace(state, prompt=None), []
    if key == "enter":
        return _entered(replace(state, prompt=None), prompt, pane)
    if key == "tab":
        return replace(state, prompt=replace(prompt, field=completed(prompt.field, _names(state)))), []
    field = typed(prompt.field, key)
    return (state if field is None else replace(state, prompt=replace(prompt, field=field))), []


def label(state: State, prompt: Prompt) -> str:
    """What stands before the line."""
    if prompt.what == "say":
        return "say, for the next step: " if formats.runs(state.about) else "say to all seats: "
    if prompt.what == "decide":
        return f"{prompt.about}: "
    return {"jump": "jump to m", "filter": "show only: ", "open": "open seat: "}[prompt.what]


def hint(state: State, prompt: Prompt) -> str:
    """What Enter will do, below the line."""
    return {
        "say": "said as user; enter says it, esc leaves"
        + ("" if formats.runs(state.about) else "; @seat,seat … asks these alone"),
        "jump": "the number of a message; enter jumps",
        "filter": "a seat, a round, or both (skeptic 2); nothing: all; tab completes",
        "open": "rt attach; C-b d comes back here; tab completes",
        "decide": _DECIDING.get(prompt.about, "enter decides, esc leaves"),
    }[prompt.what]


_DECIDING = {
    "continue": "what you type goes to every seat of the next step; nothing: just goes on; enter decides, esc leaves",
    "steer": "what every seat of the next step is told; enter decides, esc leaves",
    "stop": "ends the format here; enter decides, esc leaves",
    "veto": "why, if you like; enter decides, esc leaves",
    "retry": "asks the failed seats again; enter decides, esc leaves",
}


def _names(state: State) -> list[str]:
    return [seat["slug"] for seat in state.snapshot.get("seats", ())]


def _entered(state: State, prompt: Prompt, pane: Pane) -> Pressed:
    text = prompt.field.text.strip()
    if prompt.what == "say":
        return _said(state, prompt, text)
    if prompt.what == "decide":
        return _decided(state, prompt, text)
    if prompt.what == "open":
        return _opened(state, text)
    return (_jumped(state, text, pane) if prompt.what == "jump" else _filter(state, text)), []


def _decided(state: State, prompt: Prompt, text: str) -> Pressed:
    if prompt.about == "steer" and not text:
        return replace(state, prompt=prompt, notice="steer needs a text"), []
    return state, [acts.Decide(prompt.about, text, prompt)]


def _opened(state: State, text: str) -> Pressed:
    if text not in _names(state):
        return replace(state, notice=f"no seat {text}: {', '.join(_names(state))}"), []
    return state, [acts.Open(text)]


def _jumped(state: State, text: str, pane: Pane) -> State:
    number = text.removeprefix("m")
    if not text or (number.isascii() and number.isdecimal() and len(number) <= 18):
        return moving.jumped(state, int(number), pane) if text else state
    return replace(state, notice=f"{text} is no number of a message")


def _said(state: State, prompt: Prompt, text: str) -> Pressed:
    if not text:
        return state, []
    to: list[str] = []
    first, _, rest = text.partition(" ")
    named = [slug for slug in first.removeprefix("@").split(",") if slug]
    if first.startswith("@") and named and all(slug in _names(state) for slug in named):
        to, text = named, rest.strip()
    if not text:
        return replace(state, prompt=prompt, notice="say what?"), []
    return state, [acts.Say(text, to, prompt)]


def _filter(state: State, text: str) -> State:
    seat, number = "", None
    people = {*_names(state), *(entry.slug for entry in state.entries)}
    for word in text.split():
        bare = word.removeprefix("r")
        if word in people:
            seat = word
        elif bare.isascii() and bare.isdecimal() and len(bare) < 9:
            number = int(bare)
        elif word != "round":
            return replace(state, notice=f"neither a seat nor a round: {word}")
    if number is not None and number not in {entry.round for entry in state.entries}:
        return replace(state, notice=f"the record has no round {number}")
    return moving.filtered(state, Filter(seat, number))

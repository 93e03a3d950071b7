"""Reading the screens of sessions, many in one invocation of tmux."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from rt_config.errors import SessionGoneError, TmuxFailedError
from rt_deck.records import Session
from rt_deck.screen import Screen, lines_of
from rt_deck.tmux import Tmux

_HEAD = "rt-screen"
_FORMAT = f"{_HEAD} #{{pane_id}} #{{pane_dead}} #{{pane_in_mode}} #{{cursor_y}} #{{pane_title}}"


def screens(tmux: Tmux, sessions: Iterable[Session]) -> dict[str, Screen]:
    """The visible screen of each session by name; those that are gone are left out.

    Raises:
        TmuxDownError, TmuxTimeoutError: see `Tmux.run`.
    """
    wanted = {one.pane_id: one.name for one in sessions}
    if not wanted:
        return {}
    try:
        found = _read(tmux, list(wanted))
    except (SessionGoneError, TmuxFailedError):  # one is gone: each by itself
        found = {}
        for pane in wanted:
            with suppress(SessionGoneError, TmuxFailedError):
                found |= _read(tmux, [pane])
    return {wanted[pane]: screen for pane, screen in found.items() if pane in wanted}


def _read(tmux: Tmux, panes: Sequence[str]) -> dict[str, Screen]:
    commands: list[list[str]] = []
    for pane in panes:
        commands += [["display-message", "-p", "-t", pane, _FORMAT], ["capture-pane", "-p", "-e", "-t", pane]]
    return _parsed(tmux.chain(commands), panes)


def _parsed(text: str, panes: Sequence[str]) -> dict[str, Screen]:
    """Screens in the order they were asked for; a head counts only for the pane whose turn it is."""
    waiting, found = list(panes), {}
    pane, head, body = "", [""] * 6, [""]
    for line in [*text.split("\n"), ""]:
        if waiting and line.startswith(f"{_HEAD} {waiting[0]} "):
            if pane:
                found[pane] = _screen(head, body)
            head, body = [*line.split(" ", 5), ""], []
            pane = waiting.pop(0)
        else:
            body.append(line)
    if pane:
        found[pane] = _screen(head, body)
    return found


def _screen(head: list[str], body: list[str]) -> Screen:
    title = "".join(char for char in head[5] if char.isprintable())
    return Screen(
        title, lines_of("\n".join(body)), head[2] == "1", head[3] not in ("", "0"), int(head[4] or -1)
    )

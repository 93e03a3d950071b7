"""Making sessions, all or none, in as few tmux invocations as their size allows. Called under the deck's lock."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from rt_config import processes
from rt_config.errors import DeckError, SessionExistsError, TmuxFailedError, TmuxTimeoutError
from rt_deck import removal
from rt_deck.launch import Files, new_mark
from rt_deck.records import ROW_FORMAT, Session, Sessions, Spec, parse
from rt_deck.tmux import Tmux

_SECONDS = 5.0
_LONGEST_INVOCATION = 12_000  # bytes; tmux refuses a command line over 16 KB


def make_room(tmux: Tmux, files: Files, specs: Sequence[Spec], sessions: Sessions) -> None:
    """Refuse names that are taken; clear away what a failed create or a lost server left of the others.

    Raises:
        SessionExistsError: one of `sessions` has such a name, or two specs have the same.
    """
    names = {spec.name for spec in specs}
    if len(names) != len(specs):
        raise SessionExistsError(session="one of them twice")
    there = [session for session in sessions if session.name in names]
    orphans = [one for one in there if files.is_pending(one.name, one.mark)]
    if taken := sorted(one.name for one in there if one not in orphans):
        raise SessionExistsError(session=", ".join(taken))
    victims = processes.tree(*(one.pane_pid for one in orphans)) if orphans else []
    for one in orphans:
        removal.kill(tmux, one.name, one.mark)
    removal.end(victims, [mark for name in names if (mark := files.mark(name))], grace_seconds=1.0)


def make(tmux: Tmux, files: Files, specs: Sequence[Spec]) -> Sessions:
    """Make the sessions on the running server, in the given order.

    Raises:
        TmuxTimeoutError: nothing is known; the pending marks tell the next create.
        SessionExistsError, TmuxFailedError, TmuxDownError: none of them is left.
    """
    marks = {spec.name: new_mark() for spec in specs}
    try:
        made = _start(tmux, files, specs, marks)
    except TmuxTimeoutError:
        raise
    except DeckError:
        _undo(tmux, files, marks)
        raise
    for name, mark in marks.items():
        files.confirm(name, mark)
    return [made[spec.name] for spec in specs]


def _start(tmux: Tmux, files: Files, specs: Sequence[Spec], marks: Mapping[str, str]) -> dict[str, Session]:
    batch: list[list[str]] = []
    for spec in specs:
        files.write(spec, marks[spec.name])
        commands = files.command(spec, marks[spec.name])
        if batch and _size(batch) + _size(commands) > _LONGEST_INVOCATION:
            tmux.chain(batch, timeout=_SECONDS)
            batch = []
        batch += commands
    rows = tmux.chain([*batch, ["list-panes", "-a", "-F", ROW_FORMAT]], timeout=_SECONDS)
    made = {one.name: one for one in parse(rows, files.read_exit) if marks.get(one.name) == one.mark}
    if missing := sorted(marks.keys() - made.keys()):
        raise TmuxFailedError(command="new-session", reason=f"{', '.join(missing)} did not come up")
    return made


def _undo(tmux: Tmux, files: Files, marks: Mapping[str, str]) -> None:
    for name, mark in marks.items():
        if files.is_pending(name, mark):
            with suppress(DeckError):
                removal.kill(tmux, name, mark)
            files.forget(name)
    removal.end((), marks.values(), grace_seconds=1.0)


def _size(commands: Sequence[Sequence[str]]) -> int:
    return sum(len(os.fsencode(argument)) + 1 for command in commands for argument in command)

"""Ending a session in tmux and everything that it started."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from rt_config import processes
from rt_config.errors import SessionGoneError, TmuxDownError
from rt_deck.launch import MARK_VARIABLE
from rt_deck.tmux import Tmux

_PASSES = 3


def kill(tmux: Tmux, name: str, mark: str) -> None:
    """End exactly this start of a session, in tmux; fine when it is gone. `=`: never one with a longer name."""
    guard = f"#{{==:#{{@rt_mark}},{mark}}}"
    with suppress(TmuxDownError, SessionGoneError):
        tmux.run("if-shell", "-F", "-t", f"={name}:", guard, f"kill-session -t '={name}'")


def end(victims: Iterable[processes.Process], marks: Iterable[str], grace_seconds: float) -> None:
    """End these processes and all that carry one of the marks, also those forked while we look."""
    wanted = list(marks)
    if not wanted:
        return
    doomed = set(victims)
    for _ in range(_PASSES):
        doomed.update(processes.marked(MARK_VARIABLE, *wanted))
        if not doomed:
            return
        processes.kill_tree(doomed, grace_seconds)
        doomed = set()

"""Looking at several sessions at once: a throw-away tmux session that links their windows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rt_deck.records import Session
from rt_deck.tmux import Tmux, joined

_HELP = " next C-b n, list C-b w, leave C-b d "


def attach(
    tmux: Tmux,
    sessions: Sequence[Session],
    extra: Sequence[tuple[str, Sequence[str]]] = (),
    env: Mapping[str, str] | None = None,
) -> list[str]:
    """The argv to exec in order to look at `sessions`, and at `extra` windows that run a command each.

    Nothing exists before it is run, and the view ends when its client leaves; the sessions stay. The first extra
    window is shown first, then the sessions in their order, then the other extras. Works from inside another tmux.
    `env` is added for the extra windows; it shows in `ps` for a moment, so it is no place for secrets.
    """
    view = f"view-{os.urandom(4).hex()}"
    first, *others = extra or [("rt", ["sleep", "60"])]
    new = ["new-session", "-s", view, "-n", first[0], "-x", "200", "-y", "50"]
    new += [part for name, value in (env or {}).items() for part in ("-e", f"{name}={value}")]
    commands: list[list[str]] = [[*new, "--", *first[1]]]
    for index, session in enumerate(sessions, start=1):
        window = f"={session.name}:0"
        commands.append(
            ["set-option", "-w", "-t", window, "window-size", "latest"]
        )  # follow the viewer's terminal
        commands.append(["link-window", "-d", "-s", window, "-t", f"={view}:{index}"])
    commands += [["new-window", "-d", "-t", f"={view}:", "-n", title, "--", *argv] for title, argv in others]
    if not extra and sessions:
        commands += [["select-window", "-t", f"={view}:1"], ["kill-window", "-t", f"={view}:0"]]
    for key, value in (("status", "on"), ("status-right-length", "60"), ("status-right", _HELP)):
        commands.append(["set-option", "-t", f"={view}:", key, value])
    commands.append(["set-option", "-t", f"={view}:", "destroy-unattached", "on"])
    return ["env", "-u", "TMUX", "-u", "TMUX_PANE", *tmux.client("-N"), *joined(commands)]

"""The bell: one short printable line typed into a pane, guarded inside the tmux server. Nothing else ever goes there.

The guard and the keys are one command in the server's queue, so that no pane can die or be replaced in between.
"""

from __future__ import annotations

import os
import re
import time

from rt_config.errors import NudgeRefusedError, SessionGoneError
from rt_deck.tmux import Tmux

_LINE = re.compile(r"[A-Za-z0-9\[(][ -~]{0,199}")  # no leading / ! @ # -: agent CLIs give them a meaning
_PANE = re.compile(r"%\d+")
_BEFORE_ENTER_SECONDS = 0.15  # a TUI may take an Enter that follows at once for a line break within the text
_REFUSED = "rt-refused"
TYPED = "typed, not entered: "  # how the reason of a refusal begins when the text stands there
_FLAGS = {
    "pane_dead": "its command has ended",
    "pane_in_mode": "somebody reads it in copy mode",
    "pane_input_off": "its input is switched off",
    "pane_synchronized": "its input goes to other panes too",
}


def ring(tmux: Tmux, pane: str, line: str, *, server_pid: int, session: str = "") -> None:
    """Type `line` and Enter into `pane` of exactly that server; a pane's number is never used twice by one server.

    The text may have been typed without its Enter when the pane changes within 150 ms; the error then says so.

    Raises:
        NudgeRefusedError: the line is not one printable ASCII line of at most 200 bytes, or the pane must not be
            typed into now; `reason` says why.
        SessionGoneError: the pane is gone, or another one has its number now.
        TmuxDownError, TmuxTimeoutError: see `Tmux.run`.
    """
    label = session or pane
    if not _LINE.fullmatch(line) or not _PANE.fullmatch(pane):
        raise NudgeRefusedError(
            session=label,
            reason="a nudge is one printable ASCII line of at most 200 bytes that starts with a letter",
        )
    guard = _guard(pane, server_pid)
    _guarded(tmux, pane, guard, f"send-keys -t {pane} -l -- {_quoted(line)}", label)
    time.sleep(_BEFORE_ENTER_SECONDS)
    try:
        enter(tmux, pane, server_pid=server_pid, session=label)
    except NudgeRefusedError as exc:
        raise NudgeRefusedError(session=label, reason=f"{TYPED}{exc.reason}") from exc


def enter(tmux: Tmux, pane: str, *, server_pid: int, session: str = "") -> None:
    """Enter alone, for a line that `ring` has typed and whose Enter was swallowed. Errors as for `ring`."""
    _guarded(tmux, pane, _guard(pane, server_pid), f"send-keys -t {pane} Enter", session or pane)


def caller_pane() -> tuple[str, str] | None:
    """($TMUX, $TMUX_PANE) of the pane this process was started in, None outside tmux."""
    server, pane = os.environ.get("TMUX", ""), os.environ.get("TMUX_PANE", "")
    return (server, pane) if _server_of(server) and _PANE.fullmatch(pane) else None


def nudge_foreign(tmux_env: str, pane: str, line: str) -> None:
    """The same bell for a pane on the user's own server, as `caller_pane` reported it. Never starts a server.

    Raises:
        NudgeRefusedError, SessionGoneError, TmuxDownError, TmuxTimeoutError: as for `ring`.
    """
    server = _server_of(tmux_env)
    if server is None:
        raise NudgeRefusedError(session=pane, reason="it is not in tmux")
    socket, server_pid = server
    ring(Tmux(socket), pane, line, server_pid=server_pid)


def _server_of(tmux_env: str) -> tuple[str, int] | None:
    """(socket, server pid) from $TMUX, which reads socket,pid,session."""
    found = re.fullmatch(r"(/.*),(\d+),\d+", tmux_env)
    return (found[1], int(found[2])) if found else None


def _guard(pane: str, server_pid: int) -> str:
    """A format that is true when `pane` must not be typed into."""
    conditions = [f"#{{{flag}}}" for flag in _FLAGS]
    conditions += [f"#{{!=:#{{pane_id}},{pane}}}", f"#{{!=:#{{pid}},{server_pid}}}"]
    joined = conditions.pop()
    while conditions:  # `||` takes two
        joined = f"#{{||:{conditions.pop()},{joined}}}"
    return joined


def _guarded(tmux: Tmux, pane: str, guard: str, keys: str, label: str) -> None:
    flags = ",".join(f"#{{{flag}}}" for flag in _FLAGS)
    refusal = f"display-message -p -t {pane} '{_REFUSED} {flags}'"
    answer = tmux.run("if-shell", "-F", "-t", pane, guard, refusal, keys).strip()
    if not answer.startswith(_REFUSED):
        return
    values = answer.removeprefix(_REFUSED).strip().split(",")
    reasons = [text for text, value in zip(_FLAGS.values(), values, strict=False) if value not in {"", "0"}]
    if reasons:
        raise NudgeRefusedError(session=label, reason=reasons[0])
    raise SessionGoneError(session=label)


def _quoted(line: str) -> str:
    """`line` as one word of tmux's own command language."""
    return "'" + line.replace("'", "'\\''") + "'"

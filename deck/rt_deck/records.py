"""What the deck knows about a session: the spec it is made from and the record read back from tmux. Pure.

Text goes into tmux's user options percent-encoded, so that neither a separator nor a locale can break a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,199}")
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:,=+@")
_LONGEST_COMMAND = 200  # characters of a command line kept for display

_FIELDS = (
    "#{session_name}",
    "#{session_id}",
    "#{pane_id}",
    "#{pane_pid}",
    "#{pid}",
    "#{pane_dead}",
    "#{pane_dead_status}",
    "#{pane_dead_signal}",
    "#{pane_in_mode}",
    "#{window_active_clients}",
    "#{window_activity}",
    "#{@rt_pane}",
    "#{@rt_mark}",
    "#{@rt_title}",
    "#{@rt_group}",
    "#{@rt_workdir}",
    "#{@rt_command}",
    "#{pane_title}",  # free text: last
)
ROW_FORMAT = "|".join(_FIELDS)


@dataclass(frozen=True, slots=True)
class Spec:
    """A session to be made."""

    name: str  # the tmux name
    title: str
    group: str  # a `/` path; may be empty
    workdir: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)  # never shown by tmux or ps, so secrets may be here
    install: str = ""  # how to get argv[0] when it is missing


@dataclass(frozen=True, slots=True)
class Session:
    """One session as it was when listed."""

    id: str
    pane_id: str
    pane_pid: int
    server_pid: int
    name: str
    title: str
    group: str
    workdir: str
    command: str
    state: Literal["running", "dead"]
    exit_code: int | None  # of a dead one, 128 + n after signal n; None: unknown
    pane_title: str  # set by what runs there: untrusted, without control characters
    activity: int  # seconds since the epoch of the last output
    in_mode: bool  # somebody reads it in copy mode
    viewers: int  # attached clients that show it now
    mark: str  # which start of this name it is


Sessions: TypeAlias = list[Session]
ReadExit: TypeAlias = Callable[[str, str], int | None]  # (name, mark) -> recorded exit code


def options(spec: Spec, mark: str) -> dict[str, str]:
    """The user options that carry a session's record, by name."""
    return {
        "@rt_mark": mark,
        "@rt_title": encoded(spec.title),
        "@rt_group": encoded(spec.group),
        "@rt_workdir": encoded(spec.workdir),
        "@rt_command": encoded(" ".join(spec.argv)[:_LONGEST_COMMAND]),
    }


def parse(text: str, read_exit: ReadExit) -> Sessions:
    """The deck's sessions among the rows of `ROW_FORMAT`, by name; views and foreign sessions are left out."""
    own: dict[str, list[str]] = {}
    for line in text.splitlines():
        row = line.split("|", len(_FIELDS) - 1)
        if len(row) != len(_FIELDS) or not row[12]:
            continue
        if row[0] not in own or row[2] == row[11]:  # of several panes, the one it was made with
            own[row[0]] = row
    return [_session(row, read_exit) for _, row in sorted(own.items())]


def _session(row: list[str], read_exit: ReadExit) -> Session:
    (
        name,
        identity,
        pane,
        pid,
        server,
        dead,
        status,
        signal,
        mode,
        viewers,
        activity,
        _,
        mark,
        *texts,
        screen,
    ) = row
    title, group, workdir, command = map(decoded, texts)
    is_dead = dead == "1"
    return Session(
        id=identity,
        pane_id=pane,
        pane_pid=int(pid),
        server_pid=int(server),
        name=name,
        title=title,
        group=group,
        workdir=workdir,
        command=command,
        state="dead" if is_dead else "running",
        exit_code=_exit_code(read_exit(name, mark), status, signal) if is_dead else None,
        pane_title="".join(char for char in screen if char.isprintable()),
        activity=int(activity or 0),
        in_mode=mode not in {"", "0"},
        viewers=int(viewers or 0),
        mark=mark,
    )


def _exit_code(recorded: int | None, status: str, signal: str) -> int | None:
    """The shim's record first; tmux's own word may be missing, and missing is unknown, never 0."""
    if recorded is not None:
        return recorded
    if status:
        return int(status)
    return 128 + int(signal) if signal.isdigit() else None


def encoded(text: str) -> str:
    """`text` with everything but a few plain ASCII characters as %XX."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")
    )


def decoded(text: str) -> str:
    """The inverse of `encoded`."""
    plain = re.sub(
        rb"%([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", "replace")
    )
    return plain.decode("utf-8", "surrogateescape")

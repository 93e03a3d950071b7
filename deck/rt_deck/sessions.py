"""The deck: sessions made, found, looked at, rung and removed, each change complete or not done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from rt_config import env, processes
from rt_config.errors import (
    DeckError,
    DeckGroupBusyError,
    SessionAmbiguousError,
    SessionDiedError,
    SessionGoneError,
    TmuxDownError,
    TmuxFailedError,
    WorkdirMismatchError,
)
from rt_deck import creation, launch, looking, nudge, removal
from rt_deck.locks import locked
from rt_deck.records import NAME, ROW_FORMAT, Session, Sessions, Spec, parse
from rt_deck.screen import Screen
from rt_deck.tmux import Tmux

_SETTLE_POLL_SECONDS = 0.1


class Deck:
    """All sessions of one RT_HOME."""

    def __init__(self, tmux: Tmux | None = None, home: str | None = None) -> None:
        """Use the deck of `home` (default RT_HOME); makes its folder, starts nothing.

        Raises:
            TmuxFailedError: the folder belongs to somebody else, or cannot be made.
        """
        self.tmux = tmux or Tmux()
        try:
            folder = Path(env.private_folder(str(Path(env.private_folder(home or env.home()), "deck"))))
        except OSError as exc:
            raise TmuxFailedError(command="start-server", reason=str(exc)) from exc
        self._lock = folder / "spawn.lock"
        self._files = launch.Files(folder)

    def list(self) -> Sessions:
        """Every session, by name, in one call; empty when no server runs.

        Raises:
            TmuxTimeoutError, TmuxDownError: a server runs but cannot be reached, so its sessions are unknown.
        """
        try:
            return parse(self.tmux.run("list-panes", "-a", "-F", ROW_FORMAT), self._files.read_exit)
        except TmuxDownError:
            if self.tmux.lost():  # "no server" would be read as "no sessions"
                raise
            return []
        except TmuxFailedError as exc:
            if "no current target" in str(exc) or "no sessions" in str(exc):  # a server without any session
                return []
            raise

    def resolve(self, ref: str) -> Session | None:
        """The session with this exact title, else this tmux name, else this id (`$3`); None when there is none.

        Raises:
            SessionAmbiguousError: several have this title.
        """
        return _pick(self.list(), ref)

    def require(self, ref: str, workdir: str | None = None) -> Session:
        """The session `ref`, which may be dead, in `workdir` when that is given.

        Raises:
            SessionGoneError, SessionAmbiguousError, WorkdirMismatchError.
        """
        session = self.resolve(ref)
        if session is None:
            raise SessionGoneError(session=ref)
        if workdir is not None and os.path.realpath(workdir) != os.path.realpath(session.workdir):
            raise WorkdirMismatchError(session=ref, found=session.workdir, workdir=workdir)
        return session

    def create(self, spec: Spec) -> Session:
        """Make one session; see `create_many`."""
        return self.create_many([spec])[0]

    def create_many(self, specs: Sequence[Spec]) -> Sessions:
        """Make all of these sessions or none, in the given order, starting the server if there is none.

        The commands have been started, not awaited: `settle` tells whether they stay. Between processes that make
        the same name one wins.

        Raises:
            SessionExistsError: one exists already, dead ones included.
            WorkdirMissingError, CliMissingError, UsageError: see `launch.checked`; nothing was started.
            TmuxTimeoutError: indeterminate; what may still come up is replaced by the next create of that name.
            TmuxMissingError, TmuxTooOldError, TmuxFailedError: tmux cannot do it.
        """
        ready = [launch.checked(spec) for spec in specs]
        if not ready:
            return []
        with locked(self._lock):
            creation.make_room(self.tmux, self._files, ready, self.list())
            self.tmux.start()
            return creation.make(self.tmux, self._files, ready)

    def settle(self, names: Iterable[str], seconds: float) -> Sessions:
        """The sessions of these names after `seconds`, or as soon as none of them runs; missing ones are left out."""
        wanted = set(names)
        deadline = time.monotonic() + seconds
        while True:
            found = [session for session in self.list() if session.name in wanted]
            left = deadline - time.monotonic()
            if left <= 0 or all(session.state == "dead" for session in found):
                return found
            time.sleep(min(left, _SETTLE_POLL_SECONDS))

    def death(self, session: Session, lines: int = 50) -> SessionDiedError:
        """The error that tells how a dead session ended, with its last `lines` lines."""
        last = ""
        with suppress(DeckError):
            last = self.capture(session, lines)
        seen = "unknown" if session.exit_code is None else session.exit_code
        return SessionDiedError(session=session.name, exit_code_seen=seen, last_output=last)

    def remove(self, ref: str, grace_seconds: float = 5.0) -> bool:
        """Remove one session; see `remove_many`. Whether there was one."""
        return bool(self.remove_many([ref], grace_seconds))

    def remove_many(self, refs: Iterable[str], grace_seconds: float = 5.0) -> Sequence[str]:
        """Remove sessions and every process they started: SIGHUP and SIGTERM, SIGKILL after `grace_seconds`.

        Idempotent: what is gone counts as removed, and what a lost server left running is ended too. All are ended
        at once, within one grace. Returns the names that had anything to remove.

        Raises:
            SessionAmbiguousError: several sessions have this title; nothing was removed.
            TmuxTimeoutError: the server does not answer; nothing is known.
        """
        with locked(self._lock):
            sessions = self.list()
            chosen = {ref: _pick(sessions, ref) for ref in refs}
            found = {session.name: session for session in chosen.values() if session is not None}
            marks = {name: session.mark for name, session in found.items()}
            for ref, session in chosen.items():
                if session is None and NAME.fullmatch(ref) and (mark := self._files.mark(ref)):
                    marks[ref] = mark
            victims = processes.tree(*(session.pane_pid for session in found.values()))
            for session in found.values():
                removal.kill(self.tmux, session.name, session.mark)
        removal.end(victims, marks.values(), grace_seconds)
        with locked(self._lock):
            for name, mark in marks.items():
                if self._files.mark(name) in {mark, None}:  # else it was made anew meanwhile
                    self._files.forget(name)
        return sorted(marks)

    def halt(self, session: Session, grace_seconds: float = 2.0) -> None:
        """End what runs in a session and keep its screen, as if it had ended by itself: SIGTERM, SIGKILL after the grace."""
        processes.kill_tree(
            [one for one in processes.tree(session.pane_pid) if one.pid != session.pane_pid], grace_seconds
        )

    def groups(self) -> Sequence[str]:
        """The group paths that sessions are in. A group exists as long as a session is in it."""
        return sorted({session.group for session in self.list() if session.group})

    def delete_group(self, path: str) -> None:
        """Make sure that no group `path` is left; one that is empty is gone by itself.

        Raises:
            DeckGroupBusyError: sessions are in it, or in a group below it.
        """
        inside = [one.name for one in self.list() if one.group == path or one.group.startswith(path + "/")]
        if inside:
            raise DeckGroupBusyError(group=path, sessions=", ".join(inside))

    def stop_server_if_empty(self) -> bool:
        """When no session is left, end the server, its views and whatever a lost server left; whether it did.

        A session that somebody made by hand on this server counts as one.
        """
        with locked(self._lock):
            if self._names():
                return False
            left = [mark for name in self._files.known() if (mark := self._files.mark(name))]
            removal.end((), left, grace_seconds=1.0)
            self.tmux.stop()
            for name in self._files.known():
                self._files.forget(name)
        return True

    def capture(self, ref: str | Session, lines: int = 50) -> str:
        """The last `lines` lines of a session's screen and history, wrapped ones joined, as plain text.

        Raises:
            SessionGoneError, SessionAmbiguousError.
        """
        session = ref if isinstance(ref, Session) else self.require(ref)
        text = self.tmux.run("capture-pane", "-p", "-J", "-t", session.pane_id, "-S", f"-{lines}")
        kept = [_printable(line).rstrip() for line in text.rstrip().splitlines()]
        return "\n".join(kept[-lines:])

    def nudge(self, ref: str | Session, line: str) -> None:
        """Ring a session with one short line. A `Session` never reaches a later one with its name or pane.

        Raises:
            NudgeRefusedError, SessionGoneError, SessionAmbiguousError: see `nudge.ring`.
        """
        to = ref if isinstance(ref, Session) else self.require(ref)
        nudge.ring(self.tmux, to.pane_id, line, server_pid=to.server_pid, session=to.name)

    def enter(self, session: Session) -> None:
        """Enter alone, for a nudge that stands in the input line. Errors as for `nudge`."""
        nudge.enter(self.tmux, session.pane_id, server_pid=session.server_pid, session=session.name)

    def screens(self, sessions: Iterable[Session]) -> dict[str, Screen]:
        """What these sessions show now, by name; see `looking.screens`."""
        return looking.screens(self.tmux, sessions)

    def _names(self) -> Sequence[str]:
        """The names of all sessions but views, ours or not."""
        try:
            names = self.tmux.run("list-sessions", "-F", "#{session_name}").splitlines()
        except TmuxDownError:
            return []
        return [name for name in names if not name.startswith("view-")]


def _pick(sessions: Sessions, ref: str) -> Session | None:
    titled = [session for session in sessions if session.title == ref]
    if len(titled) > 1:
        raise SessionAmbiguousError(
            session=ref, matches=", ".join(f"{one.name} ({one.id})" for one in titled)
        )
    named = titled or [session for session in sessions if session.name == ref]
    return next(iter(named or [session for session in sessions if session.id == ref]), None)


def _printable(line: str) -> str:
    return "".join(char for char in line if char.isprintable() or char == "\t")

"""How a session's command gets started: checked before, described in a 0600 file, recorded when it ends.

Three small files per session below RT_HOME/deck: `.mark` says which start of the name is the current one, `.launch`
holds environment and arguments until the shim has read them, `.exit` is written by the shim.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

from rt_config.errors import CliMissingError, TmuxFailedError, UsageError, WorkdirMissingError
from rt_deck import environment
from rt_deck.records import NAME, Spec, options

MARK_VARIABLE = "RT_DECK_MARK"
_SHIM = Path(__file__).with_name("shim.sh")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PENDING = "pending "


def new_mark() -> str:
    """A word that no other start of any session has."""
    return os.urandom(16).hex()


def checked(spec: Spec) -> Spec:
    """`spec` with an absolute folder and the full path of its program, ready to start.

    Raises:
        UsageError: the name, a variable's name or a NUL makes it impossible.
        WorkdirMissingError: the folder does not exist; tmux would silently use another.
        CliMissingError: the program is not on the PATH that the session will have.
    """
    if not NAME.fullmatch(spec.name):
        raise UsageError(reason=f"{spec.name!r} is not a session name (a-z, 0-9, _ and -, at most 200)")
    if not spec.argv:
        raise UsageError(reason=f"{spec.name} has no command")
    if bad := [name for name in spec.env if not _VARIABLE.fullmatch(name)]:
        raise UsageError(reason=f"{bad[0]!r} is not the name of an environment variable")
    if any("\0" in text for text in (*spec.argv, *spec.env.values(), spec.workdir, spec.title, spec.group)):
        raise UsageError(reason=f"a NUL cannot be passed to {spec.name}")
    workdir = Path.cwd() / spec.workdir
    if not workdir.is_dir():
        raise WorkdirMissingError(workdir=spec.workdir)
    path = environment.for_session(spec.env)["PATH"]
    given = spec.argv[0]
    program = shutil.which(str(workdir / given) if "/" in given else given, path=path)
    if program is None:
        raise CliMissingError(cli=given, install=spec.install or f"install {given}, or put it on PATH")
    return Spec(
        spec.name, spec.title, spec.group, str(workdir), [program, *spec.argv[1:]], spec.env, spec.install
    )


class Files:
    """The deck's files about its sessions, in one private folder."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which exists."""
        self._folder = folder

    def write(self, spec: Spec, mark: str) -> None:
        """Everything a start needs; what an earlier start of this name left is gone afterwards."""
        self.forget(spec.name)
        launcher = self._path(spec.name, "launch")
        _write_private(self._path(spec.name, "mark"), _PENDING + mark)
        _write_private(launcher, _launcher(spec, str(launcher)))

    def confirm(self, name: str, mark: str) -> None:
        """From now on somebody knows of this session."""
        _write_private(self._path(name, "mark"), mark)

    def mark(self, name: str) -> str | None:
        """The mark of the last start of `name`, until it is removed."""
        return self._marked(name).removeprefix(_PENDING) or None

    def is_pending(self, name: str, mark: str) -> bool:
        """Whether whoever made this session died, or gave up, before anybody was told of it."""
        return self._marked(name) == _PENDING + mark

    def known(self) -> list[str]:
        """Every name that was started and not removed."""
        return sorted(path.name.removesuffix(".mark") for path in self._folder.glob("*.mark"))

    def read_exit(self, name: str, mark: str) -> int | None:
        """The exit code that the shim of exactly this start recorded."""
        with suppress(OSError, ValueError):
            found, code, _ = self._path(name, "exit").read_text(encoding="ascii").split()
            return int(code) if found == mark else None
        return None

    def forget(self, name: str) -> None:
        """Remove all files of `name`."""
        for path in self._folder.glob(f"{name}.*"):  # a name has no dot
            path.unlink(missing_ok=True)

    def command(self, spec: Spec, mark: str) -> list[list[str]]:
        """The tmux commands that make the session and its record."""
        pane = f"={spec.name}:"
        shim = [
            "/bin/sh",
            str(_SHIM),
            str(self._path(spec.name, "exit")),
            mark,
            str(self._path(spec.name, "launch")),
        ]
        marks = ["-e", f"RT_SESSION={spec.name}", "-e", f"{MARK_VARIABLE}={mark}"]
        size = ["-x", "200", "-y", "50"]
        # tmux expands formats in -c; the launcher goes there itself, this is for panes that a viewer splits off
        where = ["-c", spec.workdir.replace("#", "##")]
        window = ["-n", spec.name.rpartition("--")[2] or spec.name]
        return [
            ["new-session", "-d", "-s", spec.name, *window, *size, *where, *marks, "--", *shim],
            # with a small client attached somewhere the session would be born at that size
            ["resize-window", "-t", pane, *size],
            ["set-option", "-F", "-t", pane, "@rt_pane", "#{pane_id}"],
            *(["set-option", "-t", pane, key, value] for key, value in options(spec, mark).items()),
        ]

    def _path(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"

    def _marked(self, name: str) -> str:
        try:
            return self._path(name, "mark").read_text(encoding="ascii").strip()
        except OSError:
            return ""


def _launcher(spec: Spec, path: str) -> str:
    """What the shim sources. It holds all of the environment: nothing of it shows in `ps` or in tmux."""
    variables = environment.for_session(spec.env).items()
    lines = [
        f"rm -f {shlex.quote(path)}",
        "unset TMUX TMUX_PANE",  # a seat has no business with the deck's server
        *(f"export {name}={shlex.quote(value)}" for name, value in variables if _VARIABLE.fullmatch(name)),
        f"cd {shlex.quote(spec.workdir)} || exit 126",
        f"set -- {shlex.join(spec.argv)}",
    ]
    return "\n".join(lines) + "\n"


def _write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read, whole or not at all.

    Raises:
        TmuxFailedError: the disk is full, or the folder is gone.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        partial.replace(path)
    except OSError as exc:
        partial.unlink(missing_ok=True)
        raise TmuxFailedError(command="new-session", reason=str(exc)) from exc

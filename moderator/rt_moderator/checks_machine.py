"""The doctor's look at this machine: tmux, the terminal, which `rt` a seat would run, and RT_HOME."""

from __future__ import annotations

import locale
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import env
from rt_moderator.finding import Finding

if TYPE_CHECKING:
    from rt_config.settings import Settings


def tmux(_settings: Settings) -> Iterator[Finding]:
    """Whether tmux is there and new enough.

    Raises:
        TmuxMissingError, TmuxTooOldError, TmuxTimeoutError.
    """
    from rt_deck import tmux as program

    yield Finding("tmux", "ok", f"tmux {program.version()}")


def terminal(_settings: Settings) -> Iterator[Finding]:
    """Whether what is printed can be read here."""
    name, encoding = os.environ.get("TERM", ""), locale.getpreferredencoding(False)
    if not sys.stdout.isatty():
        yield Finding("terminal", "ok", "none here: nothing is asked, tables are plain text")
    elif name in ("", "dumb"):
        yield Finding(
            "terminal",
            "warn",
            f"TERM is {name or 'not set'}: rt attach needs a real one",
            "use another terminal",
        )
    elif encoding.lower().replace("-", "") != "utf8":
        yield Finding(
            "terminal", "warn", f"{name}, but its texts are {encoding}", "set LC_ALL to a UTF-8 locale"
        )
    else:
        yield Finding("terminal", "ok", f"{name}, UTF-8")


def command(_settings: Settings) -> Iterator[Finding]:
    """Whether `rt` on PATH is this installation; seats get this one whatever PATH says, a person does not."""
    ours = Path(sys.executable).with_name("rt")
    found = shutil.which("rt")
    if not ours.exists():
        yield Finding(
            "rt", "warn", f"{sys.executable} has no rt beside it", "install this package (pip install .)"
        )
    elif found is None:
        yield Finding("rt", "warn", "rt is not on PATH", f"add {ours.parent} to it")
    elif not ours.samefile(found) and Path(found).resolve() != ours.resolve():
        yield Finding(
            "rt", "warn", f"rt on PATH is {found}, another one than this ({ours})", f"put {ours.parent} first"
        )
    else:
        yield Finding("rt", "ok", f"{found}, Python {sys.version.split()[0]}")


def home(_settings: Settings) -> Iterator[Finding]:
    """Whether RT_HOME, or what it would be made in, is this user's to write."""
    folder = Path(env.home())
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        yield Finding("home", "fail", f"{there} cannot be written", "set RT_HOME to a folder of yours")
    elif there == folder and there.stat().st_uid != os.getuid():
        yield Finding(
            "home", "fail", f"{folder} belongs to somebody else", "set RT_HOME to a folder of yours"
        )
    elif there == folder and stat.S_IMODE(there.stat().st_mode) & 0o022:
        yield Finding("home", "warn", f"others can write in {folder}", f"chmod go-w {folder}")
    else:
        yield Finding("home", "ok", str(folder) if there == folder else f"{folder}, not made yet")

"""The environment variables and the folders they name, read with nothing heavy imported: the hot door uses this.

Everything else about configuration is `rt_config.settings`.
"""

from __future__ import annotations

import os
import stat
import sys

DEFAULT_SPACE = "default"
platform: str = sys.platform  # a plain str, or mypy believes in one platform only
_LONGEST_SOCKET_PATH = 100  # bytes; sun_path holds 107 on Linux and 103 on macOS


def home() -> str:
    """RT_HOME, or the platform's state folder for roundtable; absolute, not necessarily existing."""
    given = os.environ.get("RT_HOME")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    if platform == "linux":  # what platformdirs answers, without its import of 15 ms
        state = os.environ.get("XDG_STATE_HOME", "").strip()
        return os.path.join(
            state if os.path.isabs(state) else os.path.expanduser("~/.local/state"), "roundtable"
        )
    import platformdirs

    return platformdirs.user_state_dir("roundtable", appauthor=False)


def config_file() -> str:
    """RT_CONFIG, or `config.toml` in the platform's config folder; absolute, not necessarily existing."""
    given = os.environ.get("RT_CONFIG")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    if platform == "linux":
        base = os.environ.get("XDG_CONFIG_HOME", "").strip()
        return os.path.join(
            base if os.path.isabs(base) else os.path.expanduser("~/.config"), "roundtable", "config.toml"
        )
    import platformdirs

    return os.path.join(platformdirs.user_config_dir("roundtable", appauthor=False), "config.toml")


def private_folder(path: str) -> str:
    """Make `path` a folder that only this user can enter, and return it.

    Raises:
        PermissionError: it exists and belongs to somebody else (a squatter in a shared temporary folder).
    """
    os.makedirs(path, mode=0o700, exist_ok=True)
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        reason = f"{path} is not a folder of this user"
        raise PermissionError(reason)
    if stat.S_IMODE(found.st_mode) != 0o700:
        os.chmod(path, 0o700)
    return path


def socket_path(room: str, name: str) -> str:
    """Where the unix socket `name` of `room` (redis, deck) lives; its folder is not made here.

    Below RT_HOME, or, when that path is longer than a socket's address may be, in a 0700 temporary folder named after it.
    """
    direct = os.path.join(home(), room, name)
    if len(os.fsencode(direct)) <= _LONGEST_SOCKET_PATH:
        return direct
    import hashlib

    digest = hashlib.sha256(os.fsencode(home())).hexdigest()[:12]
    return os.path.join("/tmp", f"rt-{os.getuid()}-{digest}", f"{room}-{name}")  # noqa: S108 (0700, checked)


def seat() -> tuple[str, str] | None:
    """(table id, seat slug) when this process runs inside a seat, else None."""
    table, slug = os.environ.get("RT_TABLE"), os.environ.get("RT_SEAT")
    return (table, slug) if table and slug else None

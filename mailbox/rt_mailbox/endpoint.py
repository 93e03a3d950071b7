# ruff: noqa: PTH103, PTH105, PTH108, PTH110, PTH116, PTH118, PTH120, PTH123 (pathlib costs the hot door some milliseconds)
"""The file `RT_HOME/endpoint`: what slow commands write down so that the hot door need not read any configuration.

Reading it imports nothing heavy.
"""

from __future__ import annotations

import os

from rt_config import env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_config.settings import Settings

_DECIDES = {"RT_REDIS_URL": "url", "RT_SPACE": "space", "RT_MAX_BODY_BYTES": "max_body_bytes"}


def path() -> str:
    """Where the file is; absolute."""
    return os.path.join(env.home(), "endpoint")


def read_endpoint() -> dict[str, str] | None:
    """Return the file's fields, or None when it is missing, unreadable or stale.

    Stale: `config.toml` is another file or was changed, or RT_REDIS_URL, RT_SPACE or RT_MAX_BODY_BYTES differs from what
    it says. A seat, whose environment is not the operator's, takes what is written where a variable is not set.
    """
    try:
        with open(path(), "rb") as file:
            lines = os.fsdecode(file.read()).split("\n")
    except OSError:
        return None
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    if not _same_environment(fields):
        return None
    config = env.config_file()
    same_config = fields.get("config") == config and fields.get("config_mtime_ns") == str(_mtime_ns(config))
    return fields if same_config else None


def write_endpoint(settings: Settings, url: str, server_version: str | None = None) -> bool:
    """Write the file, whole or not at all, readable by this user alone; True when its content changed.

    `settings` are those of the environment and config.toml: a `--space` given for one command must not stay. For a URL
    that is TLS, sentinel or cluster the caller gives `server_version`; else the server is asked.

    Raises:
        BusDownError: the server to be described does not answer.
        OSError: RT_HOME cannot be written.
    """
    fields = _fields(settings, url, _version(url) if server_version is None else server_version)
    content = os.fsencode("".join(f"{key}={value}\n" for key, value in fields.items()))
    target = path()
    if _content(target) == content:
        return False
    if any(
        "\n" in value for value in fields.values()
    ):  # a path that cannot be written down: the hot door hands over
        if os.path.exists(target):
            os.unlink(target)
        return False
    _write_atomically(target, content)
    return True


def _content(target: str) -> bytes | None:
    try:
        with open(target, "rb") as file:
            return file.read()
    except OSError:
        return None


def _fields(settings: Settings, url: str, server_version: str) -> dict[str, str]:
    from rt_mailbox import disk

    config = env.config_file()
    major = server_version.partition(".")[0]
    return {
        "url": url,
        "space": settings.space,
        "max_body_bytes": str(settings.max_body_bytes),
        "max_chars": str(settings.max_chars),
        "max_messages": str(settings.max_messages),
        "min_free_bytes": str(settings.min_free_bytes),
        "data_dir": "" if settings.redis_url else disk.data_dir(),
        "server_version": server_version,
        "shebang": "1" if major.isdecimal() and int(major) >= 7 else "0",  # the first Valkey is 7.2
        "config": config,
        "config_mtime_ns": str(_mtime_ns(config)),
        "from_env": ",".join(name for name in _DECIDES if os.environ.get(name)),
        "code": _code(),
    }


def _same_environment(fields: dict[str, str]) -> bool:
    from_env = fields.get("from_env", "").split(",")
    for name, key in _DECIDES.items():
        given = os.environ.get(name)
        if given and given != fields.get(key):
            return False
        if not given and name in from_env and env.seat() is None:
            return False
    return True


def _mtime_ns(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _version(url: str) -> str:
    from rt_mailbox import server_status, server_wire

    if not server_wire.speaks(url):
        return ""
    with server_wire.connected(url) as wire:
        return server_status.version(wire.info("server"))


def _code() -> str:
    """Which code wrote this."""
    import rt_config

    stamp = getattr(rt_config, "VERSION", None)
    if stamp is None:
        from importlib.metadata import version

        stamp = version("rt-roundtable")
    return str(stamp)


def _write_atomically(target: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    fresh = f"{target}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(fresh, target)
    except BaseException:
        os.unlink(fresh)
        raise

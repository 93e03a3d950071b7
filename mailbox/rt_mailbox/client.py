"""The library's door, on redis-py: no silent resend, errors translated once.

redis-py's defaults send a command that timed out again, which would store a message twice; here nothing is repeated. Only what
a node of a cluster refused, because another serves that slot, goes to the other: nothing was executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from rt_config.errors import BusDownError, BusFullError
from rt_mailbox import lua
from rt_mailbox.door import plain_reason, read_reply, server_error, shown
from rt_mailbox.keys import root
from rt_mailbox.servers import Client, connect

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

T = TypeVar("T")
ANSWER_SECONDS = 10.0
_REDIRECTS = 5  # a slot that moves again and again
_AWAY = (RedisConnectionError, RedisTimeoutError, BusyLoadingError, ReadOnlyError, MasterDownError,
         ClusterDownError, TryAgainError, RedisClusterException)  # fmt: skip


class RedisDoor:
    """The library's door, to one server, a sentinel's master or a cluster. Safe for threads, as redis-py's client is.

    Opens its connections when they are needed.

    Raises:
        BadConfigError: a URL of no known form.
    """

    def __init__(self, url: str, *, shebang: bool = True) -> None:
        self.url = url
        self._servers = connect(url, lambda: ANSWER_SECONDS)
        self._shebang = shebang
        self._shas: dict[str, str] = {}

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """Run one script by its SHA, loading it when the server does not know it."""
        raw = _encoded((root(space), *args))
        return read_reply(self._run(root(space), lambda client: self._evaluate(client, name, raw)))

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """One plain command, its reply as the server gives it. On a cluster one without a key goes to any node."""
        key = _key_of(args)
        if not block_ms:
            return self._run(key, lambda client: client.execute_command(*_encoded(args)))
        return self._run(key, lambda client: _block(client, args, ANSWER_SECONDS + block_ms / 1000))

    def script_after(
        self, blocking: tuple[str | int, ...], block_ms: int, name: str, space: str, *args: str | int
    ) -> tuple[Any, Reply]:
        """A blocking read and then one script, sent together: the script runs in the moment in which the read ends.

        That saves a round trip between something coming and knowing what it means.
        """
        sha = self._shas.get(name) or self._sha(name)
        commands = [_encoded(blocking), _encoded(("EVALSHA", sha, 1, root(space), *args))]

        def both(client: Client) -> tuple[Any, Any]:
            with _connection(client) as connection:
                connection.send_packed_command(connection.pack_commands(commands))
                woken = connection.read_response(timeout=ANSWER_SECONDS + block_ms / 1000)
                try:
                    return woken, connection.read_response()
                except NoScriptError:
                    return woken, None

        woken, reply = self._run(root(space), both)
        return woken, self.script(name, space, *args) if reply is None else read_reply(reply)

    def every(self, *args: str | int) -> dict[str, Any]:
        """A command without a key at every server that keeps a part of the record: its replies by host:port."""
        with translated(self.url):
            return {name: client.execute_command(*args) for name, client in self._servers.every().items()}

    def names(self, pattern: str) -> Iterator[str]:
        """The names of all keys that match, from every server, in small steps; some twice."""
        with translated(self.url):
            for client in self._servers.every().values():
                yield from client.scan_iter(match=pattern, count=1000)

    def close(self) -> None:
        """Give the connections up."""
        self._servers.close()

    def _run(self, key: str, call: Callable[[Client], T]) -> T:
        """`call` with the server of that key; again at another one only when this one says that it is not its."""
        with translated(self.url):
            for _ in range(_REDIRECTS):
                try:
                    return call(self._servers.at(key))
                except MovedError as exc:
                    self._servers.moved(exc)
                except _AWAY:
                    self._servers.failed()
                    raise
            msg = "the nodes do not agree on who serves this slot"
            raise RedisConnectionError(msg)

    def _sha(self, name: str) -> str:
        text = lua.text(name, shebang=self._shebang)
        found = self._shas[name] = hashlib.sha1(text.encode()).hexdigest()  # noqa: S324 (the server's own naming)
        return found

    def _evaluate(self, client: Client, name: str, raw: list[bytes | int]) -> Any:
        sha = self._shas.get(name) or self._sha(name)
        try:
            return client.execute_command("EVALSHA", sha, 1, *raw)
        except NoScriptError:
            return self._load_and_run(client, name, raw)

    def _load_and_run(self, client: Client, name: str, raw: list[bytes | int]) -> Any:
        try:
            return client.execute_command("EVAL", lua.text(name, shebang=self._shebang), 1, *raw)
        except ResponseError as exc:
            if not (self._shebang and "compiling script" in str(exc)):
                raise
        self._shebang = False  # the server is older than 7, and has run nothing
        self._shas.clear()
        return client.execute_command("EVAL", lua.text(name, shebang=False), 1, *raw)


def _block(client: Client, args: tuple[str | int, ...], seconds: float) -> Any:
    with _connection(client) as connection:
        connection.send_command(*_encoded(args))
        return connection.read_response(timeout=seconds)


@contextmanager
def _connection(client: Client) -> Iterator[Any]:
    """A connection for oneself; after an error it is closed, because an answer may still come on it."""
    connection = client.connection_pool.get_connection()
    try:
        yield connection
    except BaseException:
        connection.disconnect()
        raise
    finally:
        client.connection_pool.release(connection)


def _key_of(args: tuple[str | int, ...]) -> str:
    """The first key that a command names; a read of several streams names those of one space. '' without one."""
    return next((arg for arg in args if isinstance(arg, str) and arg.startswith("rt:{")), "")


def _encoded(args: tuple[str | int, ...]) -> list[bytes | int]:
    """Text as bytes: hiredis packs strict UTF-8 only, and a body must come back as it went."""
    return [arg if isinstance(arg, int) else arg.encode("utf-8", "surrogateescape") for arg in args]


@contextmanager
def translated(url: str) -> Iterator[None]:
    """redis-py's errors as ours.

    Raises:
        BusDownError: no connection, no answer in time (then the outcome is unknown), or a server that cannot now.
        BusFullError: the server's memory is full; nothing was stored.
    """
    try:
        yield
    except OutOfMemoryError as exc:
        raise BusFullError from exc
    except _AWAY as exc:
        raise BusDownError(url=shown(url), reason=plain_reason(str(exc))) from exc
    except AskError as exc:
        # The record of a space is in two places just now, and a script must see all of it.
        reason = "its slot is being moved to another node; nothing was done"
        raise BusDownError(url=shown(url), reason=reason) from exc
    except RedisError as exc:
        raise server_error(str(exc), shown(url)) from exc

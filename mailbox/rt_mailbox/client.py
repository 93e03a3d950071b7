"""The one module that makes redis-py clients: explicit timeouts, no silent resend, errors translated once.

redis-py's defaults send a command that timed out again, which would store a message twice; here nothing is repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    BusyLoadingError,
    NoScriptError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from rt_config.errors import BusDownError, BusFullError
from rt_mailbox import lua
from rt_mailbox.door import read_reply, server_error, shown, unquoted
from rt_mailbox.keys import root

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 10.0


class RedisDoor:
    """The library's door. Safe for threads, as redis-py's client is."""

    def __init__(self, url: str, *, shebang: bool = True) -> None:
        self.url = url
        self.client: Any = connect(url)
        self._shebang = shebang
        self._shas: dict[str, str] = {}

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """Run one script by its SHA, loading it when the server does not know it."""
        sha = self._shas.get(name) or self._sha(name)
        raw = _encoded((root(space), *args))
        with translated(self.url):
            try:
                reply = self.client.execute_command("EVALSHA", sha, 1, *raw)
            except NoScriptError:
                reply = self._load_and_run(name, raw)
        return read_reply(reply)

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """One plain command, its reply as the server gives it."""
        with translated(self.url):
            if not block_ms:
                return self.client.execute_command(*_encoded(args))
            return self._block(args, ANSWER_SECONDS + block_ms / 1000)

    def script_after(
        self, blocking: tuple[str | int, ...], block_ms: int, name: str, space: str, *args: str | int
    ) -> tuple[Any, Reply]:
        """A blocking read and then one script, sent together: the script runs in the moment in which the read ends.

        That saves a round trip between something coming and knowing what it means.
        """
        sha = self._shas.get(name) or self._sha(name)
        commands = [_encoded(blocking), _encoded(("EVALSHA", sha, 1, root(space), *args))]
        with translated(self.url), self._connection() as connection:
            connection.send_packed_command(connection.pack_commands(commands))
            woken = connection.read_response(timeout=ANSWER_SECONDS + block_ms / 1000)
            try:
                return woken, read_reply(connection.read_response())
            except NoScriptError:
                pass
        return woken, self.script(name, space, *args)

    def close(self) -> None:
        """Give the connections up."""
        self.client.close()

    def _sha(self, name: str) -> str:
        text = lua.text(name, shebang=self._shebang)
        found = self._shas[name] = hashlib.sha1(text.encode()).hexdigest()  # noqa: S324 (the server's own naming)
        return found

    def _load_and_run(self, name: str, raw: list[bytes | int]) -> Any:
        try:
            return self.client.execute_command("EVAL", lua.text(name, shebang=self._shebang), 1, *raw)
        except ResponseError as exc:
            if not (self._shebang and "compiling script" in str(exc)):
                raise
        self._shebang = False  # the server is older than 7, and has run nothing
        self._shas.clear()
        return self.client.execute_command("EVAL", lua.text(name, shebang=False), 1, *raw)

    def _block(self, args: tuple[str | int, ...], seconds: float) -> Any:
        with self._connection() as connection:
            connection.send_command(*_encoded(args))
            return connection.read_response(timeout=seconds)

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """A connection for oneself; after an error it is closed, because an answer may still come on it."""
        connection = self.client.connection_pool.get_connection()
        try:
            yield connection
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self.client.connection_pool.release(connection)


def _encoded(args: tuple[str | int, ...]) -> list[bytes | int]:
    """Text as bytes: hiredis packs strict UTF-8 only, and a body must come back as it went."""
    return [arg if isinstance(arg, int) else arg.encode("utf-8", "surrogateescape") for arg in args]


def connect(url: str) -> redis.Redis:
    """A client for `url`: unix://PATH as it stands, redis:// and rediss:// as redis-py reads them."""
    options: dict[str, Any] = {
        "encoding_errors": "surrogateescape",
        "decode_responses": True,
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    if url.startswith("unix://"):
        return redis.Redis(unix_socket_path=unquoted(url.removeprefix("unix://")), **options)
    return redis.Redis.from_url(url, **options)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """redis-py's errors as ours.

    Raises:
        BusDownError: no connection, or no answer in time (then the outcome is unknown).
        BusFullError: the server's memory is full; nothing was stored.
    """
    try:
        yield
    except OutOfMemoryError as exc:
        raise BusFullError from exc
    except (RedisConnectionError, RedisTimeoutError, BusyLoadingError) as exc:
        raise BusDownError(url=shown(url), reason=str(exc)) from exc
    except RedisError as exc:
        raise server_error(str(exc), shown(url)) from exc

"""What a door to the bus can do, and how replies and refusals of scripts are read: the meaning both doors share."""

from __future__ import annotations

from rt_config.errors import BusDownError, BusError, BusFullError, DiskFullError, from_code

TYPE_CHECKING = False
if TYPE_CHECKING:  # the name typing.TYPE_CHECKING costs 5 ms
    from typing import Any, Protocol

    Reply = dict[str, Any]

    class Door(Protocol):
        """A connection to the bus. Text is UTF-8 with surrogateescape, so that bytes come back as they went."""

        url: str

        def script(self, name: str, space: str, *args: str | int) -> Reply:
            """Run one server-side script, atomically.

            Raises:
                RoundtableError: the refusal of the script, or what the server could not do.
            """

        def command(self, *args: str | int, block_ms: int = 0) -> Any:
            """One plain command; `block_ms` is how long the server itself may hold it."""

        def close(self) -> None:
            """Give the connection up; it opens again by itself when used."""


# Refused by a server that may take it in a moment: nothing was done.
_NOT_NOW = frozenset(
    {"LOADING", "MASTERDOWN", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "UNBLOCKED", "-UNBLOCKED"}
)


def read_reply(reply: list[Any]) -> Reply:
    """{'ok', k, v, …} → dict; {'err', code, k, v, …} → the error of that code, raised."""
    if reply[0] == "ok":
        return dict(zip(reply[1::2], reply[2::2], strict=True))
    raise from_code(reply[1], dict(zip(reply[2::2], reply[3::2], strict=True)))


def pairs(flat: list[Any]) -> Reply:
    """[k, v, …] → dict, as HGETALL and XRANGE give it."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def mapping(reply: Any) -> Reply:
    """HGETALL's answer as a dict, from either door."""
    return reply if isinstance(reply, dict) else pairs(reply)


def clock_ms(door: Door) -> int:
    """The server's clock in ms since the epoch, as it stands; a space's own clock never runs backwards, this one may."""
    seconds, micros = door.command("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def shown(url: str) -> str:
    """The URL without user, password and options, for messages."""
    return url if url.startswith("unix:") else url.rpartition("@")[2].partition("?")[0]


def plain_reason(text: str) -> str:
    """Why a connection failed, in words; what TLS libraries say is known by a few people only."""
    if "CERTIFICATE_VERIFY_FAILED" in text:
        why = text.partition("certificate verify failed: ")[2].partition(" (_ssl")[0] or "not trusted"
        return f"its certificate is not accepted: {why.rstrip('.')} (?ssl_ca_certs=FILE names whom to trust)"
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER_FAILURE" in text:
        return "it does not speak TLS there: redis:// instead of rediss://, or another port"
    if "CERTIFICATE_REQUIRED" in text or "HANDSHAKE_FAILURE" in text:
        return "it wants a certificate of ours: ?ssl_certfile=FILE&ssl_keyfile=FILE"
    return text


def unquoted(part: str) -> str:
    """A part of a URL as it is meant; percent signs are rare, so that the import is too."""
    if "%" not in part:
        return part
    from urllib.parse import unquote

    return unquote(part)


def server_error(text: str, url: str) -> BusError:
    """The error for an error reply of the server, by its first word."""
    word = text.split(" ", 1)[0]
    if word == "OOM" or "OOM" in text[:200]:
        return BusFullError()
    if word == "MISCONF":
        return DiskFullError(path="the server's folder", needed_bytes="?", free_bytes="?")
    if word in _NOT_NOW:
        return BusDownError(url=url, reason=text)
    if word == "MOVED":
        return BusError(
            reason=f"the server at {url} is one of a cluster: RT_REDIS_URL must read redis+cluster://HOST:PORT,…"
        )
    return BusError(reason=text)

"""What a URL of the bus says: which servers, how they are found, and how to talk to them. Pure.

    unix://PATH
    redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DB]
    redis[s]+sentinel://[[USER]:PASSWORD@]HOST:PORT,…/SERVICE[/DB]
    redis[s]+cluster://[[USER]:PASSWORD@]HOST:PORT,…

`rediss` is TLS; `?ssl_ca_certs=FILE` and the other `ssl_…` names of redis-py say what to trust. User and password are the
server's; sentinels have `?sentinel_username=…&sentinel_password=…`. What a URL reserves is percent-encoded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

from rt_config.errors import BadConfigError

Kind = Literal["unix", "single", "sentinel", "cluster"]
_KINDS: dict[str, Kind] = {"": "single", "sentinel": "sentinel", "cluster": "cluster"}
_PORTS = {"single": 6379, "cluster": 6379, "sentinel": 26379}
_TLS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
_OF_SENTINELS = ("sentinel_username", "sentinel_password")
_WHERE = "RT_REDIS_URL"


@dataclass(frozen=True)
class Hosts:
    """A parsed URL. `options` and `sentinel_options` are keyword arguments of redis-py's client."""

    kind: Kind
    nodes: tuple[tuple[str, int], ...] = ()
    path: str = ""
    service: str = ""
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    sentinel_options: dict[str, Any] = field(default_factory=dict, repr=False)


def parse(url: str) -> Hosts:
    """Read a URL.

    Raises:
        BadConfigError: it is none of the forms above; no password is in the message.
    """
    scheme, there, rest = url.partition("://")
    base, _, how = scheme.partition("+")
    if not there or (base == "unix" and how):
        raise BadConfigError(where=_WHERE, reason="it has no known form")
    if base == "unix":
        return Hosts("unix", path=unquote(rest))
    if base not in ("redis", "rediss") or how not in _KINDS or scheme.endswith("+"):
        raise BadConfigError(
            where=_WHERE, reason=f"{scheme}:// is none of unix, redis, rediss, redis+sentinel, redis+cluster"
        )
    kind = _KINDS[how]
    rest, _, query = rest.partition("?")
    place, _, path = rest.partition("/")
    login, _, names = place.rpartition("@")
    options, sentinel_options = _options(query, kind, tls=base == "rediss")
    service, db = _service_and_db(kind, path)
    if kind != "cluster":
        options.setdefault("db", db)
    nodes = tuple(_node(name, _PORTS[kind]) for name in names.split(","))
    if kind == "single" and len(nodes) > 1:
        raise BadConfigError(where=_WHERE, reason="several hosts need redis+sentinel:// or redis+cluster://")
    return Hosts(kind, nodes, "", service, options | _login(login), sentinel_options)


def _login(text: str) -> dict[str, Any]:
    user, _, password = text.partition(":")
    found = {"username": unquote(user), "password": unquote(password)}
    return {name: value for name, value in found.items() if value}


def _node(text: str, port: int) -> tuple[str, int]:
    host, colon, number = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, number = text, str(port)
    if not number.isdecimal() or not 0 < int(number) < 65536:
        raise BadConfigError(where=_WHERE, reason=f"{number!r} is no port")
    return unquote(host).strip("[]") or "127.0.0.1", int(number)


def _service_and_db(kind: Kind, path: str) -> tuple[str, int]:
    service, _, db = path.partition("/") if kind == "sentinel" else ("", "", path)
    if kind == "sentinel" and not service:
        raise BadConfigError(
            where=_WHERE, reason="redis+sentinel://HOST:PORT,…/SERVICE needs the service's name"
        )
    if kind == "cluster" and db not in ("", "0"):
        raise BadConfigError(where=_WHERE, reason="a cluster has no databases but 0")
    if db and not db.isdecimal():
        raise BadConfigError(where=_WHERE, reason=f"{db!r} is no database's number")
    return unquote(service), int(db or 0)


def _options(query: str, kind: Kind, *, tls: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    options: dict[str, Any] = {"ssl": True} if tls else {}
    sentinel_options = dict(options)
    allowed = (*(_TLS if tls else ()), *(_OF_SENTINELS if kind == "sentinel" else ()))
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in allowed:
            raise BadConfigError(
                where=_WHERE, reason=f"it has no option {name!r} here; known: {', '.join(allowed) or 'none'}"
            )
        if name in _OF_SENTINELS:
            sentinel_options[name.removeprefix("sentinel_")] = value
            continue
        given = value.lower() not in ("false", "no", "0") if name == "ssl_check_hostname" else value
        options[name] = sentinel_options[name] = given
    return options, sentinel_options

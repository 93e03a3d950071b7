"""The one module that makes redis-py clients: of one server, of the master that sentinels name, of a cluster's nodes.

They are behind the library's door (`client`). Every client has explicit timeouts and repeats nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel

from rt_mailbox import hosts
from rt_mailbox.door import server_error, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis.exceptions import MovedError

Client = Any  # redis.Redis, whose methods' types promise less than they keep
CONNECT_SECONDS = 2.0
_node: Any = ClusterNode  # without types
_sentinel: Any = Sentinel


class Servers(Protocol):
    """Who serves which key."""

    def at(self, key: str) -> Client:
        """The client of the server that serves `key`; '' is any."""

    def moved(self, exc: MovedError) -> None:
        """A server said that another one serves that slot."""

    def failed(self) -> None:
        """A server did not answer, or is not what it was: look again before the next command."""

    def every(self) -> dict[str, Client]:
        """A client for each server that keeps a part of the record, by host:port."""

    def close(self) -> None:
        """Give the connections up."""


def connect(url: str, answer_seconds: Callable[[], float]) -> Servers:
    """The servers of `url`; opens no connection.

    Raises:
        BadConfigError: a URL of no known form.
    """
    found = hosts.parse(url)
    options = _timeouts(answer_seconds()) | {"encoding_errors": "surrogateescape", "decode_responses": True}
    if found.kind == "cluster":
        return _Cluster(found, options)
    once: dict[str, Any] = {"retry": Retry(NoBackoff(), 0)}
    if found.kind == "unix":
        return _One(redis.Redis(unix_socket_path=found.path, **options, **once), url)
    if found.kind == "sentinel":
        asking = _timeouts(CONNECT_SECONDS) | once | found.sentinel_options
        sentinel = _sentinel(found.nodes, sentinel_kwargs=asking, **options, **once, **found.options)
        return _One(sentinel.master_for(found.service), url)
    host, port = found.nodes[0]
    return _One(redis.Redis(host=host, port=port, **options, **once, **found.options), url)


def _timeouts(answer_seconds: float) -> dict[str, Any]:
    return {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": answer_seconds, "protocol": 2}


class _One:
    """One server, or the one that sentinels call the master whenever a connection is made."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url

    def at(self, key: str) -> Client:
        return self._client

    def moved(self, exc: MovedError) -> None:
        refused = server_error("MOVED", shown(self._url))
        raise refused from exc

    def failed(self) -> None:
        with suppress(RedisError, OSError):
            self._client.connection_pool.disconnect(inuse_connections=False)

    def every(self) -> dict[str, Client]:
        return {shown(self._url): self._client}

    def close(self) -> None:
        self._client.close()


class _Cluster:
    """redis-py's cluster client as the map of slots; commands go to its nodes' own clients, so that none is repeated."""

    def __init__(self, found: hosts.Hosts, options: dict[str, Any]) -> None:
        self._seeds, self._options = found.nodes, options | found.options
        self._map: Any = None  # RedisCluster, which has no types for what is used of it
        self._stale = False

    def at(self, key: str) -> Client:
        cluster = self._fresh()
        node = cluster.get_node_from_key(key) if key else cluster.get_default_node()
        if node is None:
            msg = "no node serves this slot"
            raise RedisConnectionError(msg)
        return cluster.get_redis_connection(node)

    def moved(self, exc: MovedError) -> None:
        self._fresh().nodes_manager.initialize(additional_startup_nodes_info=[(exc.host, exc.port)])

    def failed(self) -> None:
        self._stale = True

    def every(self) -> dict[str, Client]:
        cluster = self._fresh()
        return {node.name: cluster.get_redis_connection(node) for node in cluster.get_primaries()}

    def close(self) -> None:
        if self._map is not None:
            with suppress(RedisError, RedisClusterException, OSError):
                self._map.close()
        self._map = None

    def _fresh(self) -> Any:
        if self._map is None:
            self._map = RedisCluster(
                startup_nodes=[_node(host, port) for host, port in self._seeds],
                retry=Retry(NoBackoff(), 0),
                require_full_coverage=False,  # tables on other nodes go on
                **self._options,
            )
        elif self._stale:
            self._map.nodes_manager.initialize()
        self._stale = False
        return self._map

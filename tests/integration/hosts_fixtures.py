"""Servers on loopback for the tests of several hosts: a cluster, a master with a replica and sentinels, a TLS front."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import server_binary
from rt_mailbox.server_wire import Wire, connected
from tests.helpers import eventually

_COMMON = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always")


class Node:
    """One server process on a port of its own, in a folder of its own."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.folder, self._options = folder, options
        folder.mkdir(parents=True, exist_ok=True)
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        argv = [
            str(server_binary.find().path),
            *self._options,
            "--port",
            str(self.port),
            "--dir",
            str(self.folder),
        ]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    @contextlib.contextmanager
    def wire(self) -> Iterator[Wire]:
        """A connection."""
        with connected(self.url, 5.0) as wire:
            yield wire

    def ask(self, *words: str) -> Any:
        """One command; an error reply is returned."""
        with self.wire() as wire:
            return wire.ask(*words)

    def await_ready(self) -> None:
        """Return when it answers."""

        def ready() -> bool:
            with contextlib.suppress(Exception):
                return bool(self.ask("PING") == "PONG")
            return False

        eventually(ready, what=f"a server at {self.url}: {(self.folder / 'log').read_text()[-500:]}")

    def kill(self) -> None:
        """`kill -9`; returns when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


def free_port() -> int:
    """A port whose cluster port (10,000 more) exists, too."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
        if port < 50_000:
            return port


class Cluster:
    """Three primaries that share the slots."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [
            Node(
                folder / str(n), *_COMMON, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                "--cluster-node-timeout", "2000",
            )
            for n in range(3)
        ]  # fmt: skip
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def form(self) -> None:
        """Give each its slots and make them know each other; returns when all say so."""
        for node, (first, last) in zip(self.nodes, ((0, 5460), (5461, 10922), (10923, 16383)), strict=True):
            node.await_ready()
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", str(first), str(last)) == "OK"
        for n, node in enumerate(self.nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", str(n + 1))
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", str(node.port))

        def agreed() -> bool:
            facts = [node.ask("CLUSTER", "INFO") for node in self.nodes]
            return all("cluster_state:ok" in f and "cluster_known_nodes:3" in f for f in facts)

        eventually(agreed, seconds=20, what="a cluster that agrees")

    def owner(self, key: str) -> Node:
        """The node that serves a key's slot."""
        slot = int(self.nodes[0].ask("CLUSTER", "KEYSLOT", key))
        for first, last, owner, *_ in self.nodes[0].ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == owner[1])
        raise AssertionError(slot)

    def end(self) -> None:
        """Kill them."""
        for node in self.nodes:
            node.kill()


@pytest.fixture(scope="module", name="cluster")
def cluster_of_three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of three primaries that the module's tests share."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.form()
        yield made
    finally:
        made.end()


class Replicated:
    """A master with a replica, and a sentinel that replaces the master after about a second."""

    def __init__(self, folder: Path) -> None:
        self.master = Node(
            folder / "master", *_COMMON, "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"
        )
        self.replica = Node(folder / "replica", *_COMMON, "--replicaof", f"127.0.0.1 {self.master.port}")
        for node in (self.master, self.replica):
            node.await_ready()
        self.sentinels = [self._sentinel(folder / f"sentinel{n}") for n in range(1)]
        for node in self.sentinels:
            node.await_ready()
        self.url = "redis+sentinel://" + ",".join(f"127.0.0.1:{s.port}" for s in self.sentinels) + "/bus"

    def _sentinel(self, folder: Path) -> Node:
        folder.mkdir(parents=True)
        conf = folder / "sentinel.conf"
        conf.write_text(
            f"bind 127.0.0.1\nsentinel monitor bus 127.0.0.1 {self.master.port} 1\n"
            "sentinel down-after-milliseconds bus 500\nsentinel failover-timeout bus 4000\n"
        )
        return Node(folder, str(conf), "--sentinel")

    def synced(self) -> None:
        """Return when the replica has everything, and the sentinels know it."""

        def same() -> bool:
            with self.master.wire() as one, self.replica.wire() as other:
                a, b = one.info("replication"), other.info("replication")
            known = all(
                _field(s.ask("SENTINEL", "MASTER", "bus"), "num-slaves") == "1" for s in self.sentinels
            )
            return (
                known
                and b["master_link_status"] == "up"
                and a["master_repl_offset"] == b["slave_repl_offset"]
            )

        eventually(same, what="a replica in step")

    def cut(self) -> None:
        """From now on the replica gets nothing."""
        os.kill(self.replica.process.pid, signal.SIGSTOP)
        self.master.ask("CLIENT", "KILL", "TYPE", "replica")

    def fail_over(self) -> None:
        """`kill -9` the master, and return when the replica was promoted."""
        self.master.kill()
        os.kill(self.replica.process.pid, signal.SIGCONT)

        def promoted() -> bool:
            with self.replica.wire() as wire:
                return wire.info("replication")["role"] == "master"

        eventually(promoted, seconds=20, what="a promotion")

    def end(self) -> None:
        """Kill them."""
        for node in (*self.sentinels, self.replica, self.master):
            node.kill()


def _field(flat: list[str], name: str) -> str:
    return flat[flat.index(name) + 1]


@pytest.fixture(name="replicated")
def master_replica_sentinel(tmp_path: Path) -> Iterator[Replicated]:
    """A master, its replica and a sentinel, this test's own."""
    made = Replicated(tmp_path)
    try:
        made.synced()
        yield made
    finally:
        made.end()


class TlsFront:
    """A TLS server on loopback that passes everything on to a plain one."""

    def __init__(self, folder: Path, target: str) -> None:
        """`target` is the path of a unix socket."""
        openssl = shutil.which("openssl")
        if not openssl:
            pytest.skip("a certificate of one's own needs openssl")
        self.cert, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(
            [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", self.cert, "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            check=True, capture_output=True,
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.cert, key)
        self._context, self._target = context, target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            try:
                inner = self._context.wrap_socket(plain, server_side=True)
            except OSError:
                plain.close()
                continue
            outer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            outer.connect(self._target)
            self._open += [inner, outer]
            thread = threading.Thread(target=self._pass_on, args=(inner, outer), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _pass_on(self, inner: ssl.SSLSocket, outer: socket.socket) -> None:
        """One connection, both ways, in one thread: a TLS socket is not for two."""
        with inner, outer, contextlib.suppress(OSError):
            inner.setblocking(False)
            while True:
                select.select([inner, outer], [], [], 0.2)
                with contextlib.suppress(ssl.SSLWantReadError):
                    data = inner.recv(1 << 16)
                    if not data:
                        return
                    outer.sendall(data)
                    continue
                if select.select([outer], [], [], 0)[0]:
                    data = outer.recv(1 << 16)
                    if not data:
                        return
                    inner.setblocking(True)
                    inner.sendall(data)
                    inner.setblocking(False)

    def close(self) -> None:
        """Stop, and return when every thread has."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

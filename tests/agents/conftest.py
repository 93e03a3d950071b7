"""Real agent CLIs of pinned versions, installed once into a cache folder, against a stub model on loopback."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_config import profiles
from rt_config import settings as configuration
from tests.agents.stub_model import StubModel, serving
from tests.integration.conftest import seated

__all__ = ["seated"]

PACKAGES = {"claude": "@anthropic-ai/claude-code@2.1.197", "codex": "@openai/codex@0.171.0"}
_INSTALL_SECONDS = 540


@pytest.fixture(scope="session")
def agents_bin() -> Path:
    """The folder of the agent CLIs; the tests are skipped where they cannot be installed."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm: the agent CLIs come from there")
    cache = Path(os.environ.get("RT_AGENT_CACHE") or Path.home() / ".cache" / "rt-agents")
    cache.mkdir(parents=True, exist_ok=True)
    wanted = "\n".join(PACKAGES.values())
    stamp, folder = cache / "installed", cache / "node_modules" / ".bin"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != wanted:
            argv = [npm, "install", "--no-fund", "--no-audit", "--prefix", str(cache), *PACKAGES.values()]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
            if done.returncode:
                pytest.skip(f"the agent CLIs cannot be installed: {done.stderr[-300:]}")
            stamp.write_text(wanted)
    return folder


@pytest.fixture
def model() -> Iterator[StubModel]:
    """The stub model of this test."""
    with serving() as stub:
        yield stub


@pytest.fixture
def agent_home(agents_bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A HOME without any login, and the CLIs on PATH."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "CODEX", "ANTHROPIC", "OPENAI", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{agents_bin}{os.pathsep}{os.environ['PATH']}")
    return home


def configured(model: StubModel) -> dict[str, Any]:
    """The `[profiles]` of a configuration that sends the CLIs to the stub, as a user would send them to a proxy."""
    provider = f'model_providers.stub={{name="stub",base_url="{model.url}/v1",wire_api="responses",env_key="STUB_KEY"}}'
    return {
        "claude": {
            "env": {
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_AUTH_TOKEN": "stub",
                "CLAUDE_CODE_MAX_RETRIES": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }
        },
        "codex": {
            "env": {"STUB_KEY": "stub"},
            "args": [
                *("-c", "model_provider=stub"),
                *("-c", provider),
                *("-c", "model_providers.stub.request_max_retries=0"),
                *("-c", "model_providers.stub.stream_max_retries=0"),
            ],
        },
    }


def agent_spec(
    name: str, model: StubModel, cwd: Path, asked: str = "stub-1", effort: str = ""
) -> dict[str, Any]:
    """The launch spec of a seat with this CLI."""
    cwd.mkdir(exist_ok=True)
    settings = configuration.Settings(profiles=configured(model))
    return profiles.launch_spec(profiles.load(settings)[name], asked, effort, cwd=str(cwd))

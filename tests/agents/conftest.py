"""Real agent CLIs of pinned versions, installed once into a cache folder, against a stub model on loopback."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_config import profiles
from rt_config import settings as configuration
from rt_config.profile_model import Access
from tests.agents.stub_model import StubModel, serving
from tests.integration.conftest import seated

__all__ = ["seated"]

PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.197",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33",
    "copilot": "@github/copilot@1.0.102",
    "qwen": "@qwen-code/qwen-code@0.24.4",
    "grok": "@xai-official/grok@1.0.41",
    "kimi": "@moonshot-ai/kimi-code@2.1.0 node@22.23.3",  # it wants a newer Node than many machines have
}
_INSTALL_SECONDS = 540
_OTHERS = (
    "CLAUDE",
    "CODEX",
    "ANTHROPIC",
    "OPENAI",
    "GEMINI",
    "GOOGLE",
    "OPENCODE",
    "COPILOT",
    "GH_",
    "GITHUB",
    "XAI",
    "GROK",
)


def _installed(cli: str) -> tuple[Path, str]:
    """Where this CLI's program is, each in a folder of its own, and why it cannot be had."""
    npm = shutil.which("npm")
    cache = Path(os.environ.get("RT_AGENT_CACHE") or Path.home() / ".cache" / "rt-agents") / cli
    if npm is None:
        return cache, "no npm: the agent CLIs come from there"
    cache.mkdir(parents=True, exist_ok=True)
    stamp = cache / "installed"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != PACKAGES[cli]:
            argv = [npm, "install", "--no-fund", "--no-audit", "--prefix", str(cache), *PACKAGES[cli].split()]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
            if done.returncode:
                return cache, f"{cli} cannot be installed: {done.stderr[-300:]}"
            stamp.write_text(PACKAGES[cli])
    return cache / "node_modules" / ".bin", ""


@pytest.fixture(scope="session")
def agents() -> Callable[[str], Path]:
    """Gives the folder of an agent CLI; the test is skipped, naming it, where it cannot be installed."""
    found: dict[str, tuple[Path, str]] = {}

    def folder(cli: str) -> Path:
        if cli not in found:
            found[cli] = _installed(cli)
        path, reason = found[cli]
        if reason:
            pytest.skip(reason)
        return path

    return folder


@pytest.fixture
def model() -> Iterator[StubModel]:
    """The stub model of this test."""
    with serving() as stub:
        yield stub


@pytest.fixture
def agent_home(
    request: pytest.FixtureRequest,
    agents: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A HOME without any login, and the CLIs that the test is about on PATH: its parameter `cli` (one, or a tuple), else two."""
    named = request.node.callspec.params.get("cli") if hasattr(request.node, "callspec") else None
    several = (named,) if isinstance(named, str) else named or ("claude", "codex")
    folders = [str(agents(cli)) for cli in several]
    home = tmp_path / "home"
    (home / ".gemini").mkdir(parents=True)
    # Choosing how to log in is the person's; the key comes with `configured`.
    (home / ".gemini" / "settings.json").write_text(
        '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    )
    for name in list(os.environ):
        if name.startswith((*_OTHERS, "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))
    return home


KEYS = (
    "ANTHROPIC_AUTH_TOKEN",
    "STUB_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "XAI_API_KEY",
    "COPILOT_OFFLINE",
)


def configured(model: StubModel) -> dict[str, Any]:
    """The `[profiles]` of a configuration that sends the CLIs to the stub, as a user would send them to a proxy."""
    url = f"{model.url}/v1"
    provider = (
        f'model_providers.stub={{name="stub",base_url="{url}",wire_api="responses",env_key="STUB_KEY"}}'
    )
    own = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": url, "apiKey": "{env:STUB_KEY}"},
        "models": {"stub-1": {}},
    }
    content = {"autoupdate": False, "disabled_providers": ["opencode"], "provider": {"stub": own}}
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
        "gemini": {"env": {"GEMINI_API_KEY": "stub", "GOOGLE_GEMINI_BASE_URL": model.url}},
        "opencode": {"env": {"STUB_KEY": "stub", "OPENCODE_CONFIG_CONTENT": json.dumps(content)}},
        "copilot": {
            "env": {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": url,
                "COPILOT_MODEL": "stub-1",
            }
        },
        "qwen": {
            "env": {"OPENAI_API_KEY": "stub", "OPENAI_BASE_URL": url},
            "args": ["--auth-type", "openai"],
        },
        "grok": {
            "env": {
                "XAI_API_KEY": "stub",
                "GROK_XAI_API_BASE_URL": url,
                "GROK_CLI_CHAT_PROXY_BASE_URL": url,
                "GROK_MODELS_BASE_URL": url,
            }
        },
        "kimi": {
            "env": {
                "KIMI_MODEL_NAME": "stub-1",
                "KIMI_MODEL_API_KEY": "stub",
                "KIMI_MODEL_BASE_URL": url,
                "KIMI_MODEL_PROVIDER_TYPE": "openai",
            }
        },
    }


def as_toml(profiles: dict[str, Any]) -> str:
    """Profiles as config.toml holds them; JSON strings and lists are TOML's, too."""
    lines = []
    for name, fields in profiles.items():
        lines.append(f"[profiles.{name}]")
        lines += [f"args = {json.dumps(fields['args'])}"] if "args" in fields else []
        lines += [
            f"[profiles.{name}.env]",
            *(f"{key} = {json.dumps(value)}" for key, value in fields["env"].items()),
        ]
    return "\n".join(lines) + "\n"


def model_of(cli: str, name: str = "stub-1") -> str:
    """The stub's model as this CLI writes it."""
    if cli == "kimi":  # its environment names the model
        return ""
    return f"stub/{name}" if cli == "opencode" else name


def agent_spec(
    name: str,
    model: StubModel,
    cwd: Path,
    asked: str = "stub-1",
    access: Access = "read-only",
) -> dict[str, Any]:
    """The launch spec of a seat with this CLI."""
    cwd.mkdir(exist_ok=True)
    profile = profiles.load(configuration.Settings(profiles=configured(model)))[name]
    if profile.headless and not profile.headless.can_be_read_only:
        access = "write"
    return profiles.launch_spec(profile, model_of(name, asked), access=access, cwd=str(cwd))

"""A seat's agent runs `rt` with the shell tool of its CLI, within the turn, and its model sees what it printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import agent_spec
from tests.agents.stub_model import StubModel
from tests.agents.test_acp_seats import acp_spec
from tests.integration.conftest import Seated

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]
# How a model runs a command with each CLI; the names are the CLIs' own.
SHELL: Mapping[str, tuple[str, dict[str, Any]]] = {
    "claude": ("Bash", {"command": "{line}", "description": "read a message"}),
    "codex": ("exec_command", {"cmd": "{line}", "login": False}),  # a login shell has the PATH of its profile
    "gemini": ("run_shell_command", {"command": "{line}"}),
    "opencode": ("bash", {"command": "{line}", "description": "read a message"}),
    "copilot": ("bash", {"command": "{line}", "description": "read a message"}),
    "qwen": ("run_shell_command", {"command": "{line}", "is_background": False}),
    "grok": ("run_terminal_command", {"command": "{line}", "description": "read a message"}),
    "kimi": ("Bash", {"command": "{line}"}),
}
# A reader of these has no shell, or one that reaches no socket (codex's sandbox), or one whose leave for rt would also let it write
# (opencode: `rt show m1 > file`): what it needs of the record is in its prompt.
WITHOUT = {
    ("codex", "headless"), ("gemini", "headless"), ("qwen", "headless"), ("grok", "headless"), ("opencode", "headless"), ("opencode", "acp"),
}  # fmt: skip
SEATS = [
    (cli, transport)
    for cli in SHELL
    for transport in ("headless", "acp")
    if (cli, transport) not in {*WITHOUT, ("claude", "acp"), ("codex", "acp")}
]


def calling(cli: str, line: str) -> tuple[str, dict[str, Any]]:
    """The call of the CLI's shell tool with this line."""
    name, fields = SHELL[cli]
    return name, {key: line if value == "{line}" else value for key, value in fields.items()}


@pytest.mark.parametrize(("cli", "transport"), SEATS)
def test_an_agent_reads_the_record_in_its_turn(
    cli: str, transport: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.16, S4.22: a read-only seat may run rt and nothing needs a person; the answer comes after it."""
    model.tool = calling(cli, "rt show m1")
    spec = (acp_spec if transport == "acp" else agent_spec)(cli, model, tmp_path / "w")
    table = seated({"a": spec})
    table.ask("Which cache, quokka?", "a", seconds=120)
    with table.runner("a"):
        table.replies(1, seconds=100)
    results = [found for one in model.asked for found in one.results]
    assert any("quokka" in found for found in results), (
        results[-1:],
        table.events("permission"),
    )


@pytest.mark.parametrize("cli", ["claude", "copilot"])
@pytest.mark.parametrize(
    "line", ["touch {file}", "rt show m1; touch {file}", "rt show m1 > {file}", "rt show $(touch {file})"]
)
def test_what_may_run_rt_may_run_nothing_else(
    cli: str, line: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.28, S2.17: leave for rt is no leave for what is written after it."""
    file = tmp_path / "w" / "written.txt"
    model.tool = calling(cli, line.replace("{file}", str(file)))
    table = seated({"a": agent_spec(cli, model, tmp_path / "w")})
    table.ask("Which cache, quokka?", "a", seconds=60)
    with table.runner("a"):
        table.replies(1, seconds=50)
    assert any(one.called for one in model.asked)
    assert not file.exists()

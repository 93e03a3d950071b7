"""The installed skills as the real CLIs see them: named to the model, from the person's folder and from a working tree."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.agents.conftest import PACKAGES, agent_spec
from tests.agents.stub_model import StubModel
from tests.agents.test_headless_seats import SESSION, call
from tests.helpers import rt

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]
SAID = "a discussion between several AI agents"  # of the moderator's description


@pytest.mark.parametrize("where", ["user", "project"])
@pytest.mark.parametrize("cli", list(PACKAGES))
def test_the_model_is_told_of_the_skills(
    cli: str, where: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.1, S4.1: after `rt skill install` the CLI names both skills, with when to use them, to its model."""
    work = tmp_path / "w"
    work.mkdir()
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    tree = ["--project", str(work)] if where == "project" else []
    done = rt("skill", "install", cli, *tree)
    assert done.returncode == 0, done.stderr
    spec = agent_spec(cli, model, work)
    spec["env"] |= {"GROK_FOLDER_TRUST": "0"}  # as after `grok --trust`; the others do not know it
    result = call(spec, "hello quokka", tmp_path, SESSION + "11")
    assert result.reason == ""
    told = json.dumps([one.body for one in model.main_requests("quokka")], ensure_ascii=False)
    assert SAID in told
    assert "roundtable-participant" in told


def test_the_hook_wakes_the_moderator(
    model: StubModel, agent_home: Path, rt_home: Path, tmp_path: Path
) -> None:
    """S4.23: about to stop, an agent that runs the skill hears once that the seats have answered; without news it stops."""
    work = tmp_path / "w"
    spec = agent_spec("claude", model, work)
    spec["env"] |= {name: os.environ[name] for name in ("RT_HOME", "RT_CONFIG", "PATH")}
    try:
        for words in (["skill", "install", "claude"], ["start", "Which cache?", "--seat", "a=rehearsal"]):
            done = rt(*words, cwd=work)
            assert done.returncode == 0, done.stderr
        result = call(spec, "/roundtable quokka", tmp_path, SESSION + "12")
        assert (result.reason, result.answer.text) == ("", "## Position\nanswer 3")
        woken = [one for one in model.asked if "new in roundtable rt-" in json.dumps(one.body)]
        assert len(woken) == 1
        asked = len(model.main_requests("quokka"))
        call(spec, "/roundtable quokka again", tmp_path, SESSION + "13")
        assert len(model.main_requests("quokka")) == asked + 1
    finally:
        rt("bus", "stop", "--force", timeout=60)

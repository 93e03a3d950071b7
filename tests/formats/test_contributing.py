"""The format that CONTRIBUTING.md shows, as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import jinja2
import pytest

from rt_moderator import formats
from rt_moderator.engine import prompts
from tests.format_bench import FormatRun
from tests.helpers import Bus

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_format_that_contributing_shows_runs(
    bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1.27: one module, one line and a prompt are a format; killed at every look it comes to the same end."""
    section = PAGE.read_text().partition("## Add a format")[2]
    code, prompt = (re.search(rf"```{kind}\n(.*?)```", section, re.DOTALL) for kind in ("python", "jinja"))
    assert code
    assert prompt
    assert len(code[1].strip().splitlines()) <= 25
    (tmp_path / "poll_format.py").write_text(code[1])
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(formats.MODULES, "poll", "poll_format")
    environment = prompts._environment()
    monkeypatch.setattr(environment, "loader", jinja2.DictLoader({"poll.md": prompt[1]}))
    run = FormatRun(
        bus,
        "poll",
        "ann",
        "bob",
        "cy",
        answer=lambda slug, *_: "no\nToo early." if slug == "bob" else "yes\nNow.",
    )
    assert run.drive(crashing=True) == "done"
    assert run.outcome.result == "yes: 2 of 3"
    assert "Too early." in run.file("report.md")
    sys.modules.pop("poll_format")

"""README.md shows what really happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import readme


@pytest.mark.timeout(120)
def test_the_transcript_is_what_a_run_prints_today(rt_home: Path) -> None:
    """The block in README.md, run again, differs in ids, times and the order of parallel answers alone."""
    (rt_home.parent / "config.toml").write_text('default_profile = "rehearsal"\n', encoding="utf-8")
    fresh = readme.run({**os.environ, "RT_HOME": str(rt_home)})
    assert readme.masked(fresh) == readme.masked(readme.written())

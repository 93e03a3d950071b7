"""Who sits at a `table` that names nobody: the lists, in their order, what is left out and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_config import settings as configuration
from rt_config.errors import BadConfigError
from rt_config.settings import Settings
from rt_moderator.formats.tabling.roster import HOST_NAME, listed, table_roster, with_host
from rt_moderator.plan import SeatPlan, checked

CLIS = ("claude", "codex", "gemini", "opencode")
ALL = """# Notes

## Multi-Agents

Who sits here:

- claude: opus
- `codex`
* Gemini CLI: gemini-2.5-pro <!-- the long one -->

```
- nobody
```

## Other

- qwen
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with four agent CLIs, a home, and a working tree that is returned."""
    (tmp_path / "bin").mkdir()
    for name in CLIS:
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o700)
    (tmp_path / "home").mkdir()
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "tree"


def names(found: tuple[list[SeatPlan], list[str]]) -> list[str]:
    return [seat.slug for seat in found[0]]


def test_a_list_in_the_working_tree(machine: Path) -> None:
    """S1.2: the section's items are seats in their order, by CLI or display name, with a model where one is given."""
    (machine / "AGENTS.md").write_text(ALL)
    (machine / "sub").mkdir()
    seats, warnings = table_roster(machine / "sub", Settings())
    assert [(s.slug, s.name, s.profile, s.model) for s in seats] == [
        ("claude", "Claude Code", "claude", "opus"),
        ("codex", "OpenAI Codex", "codex", ""),
        ("gemini", "Gemini CLI", "gemini", "gemini-2.5-pro"),
    ]
    assert warnings == []
    assert checked(seats) == seats


def test_the_nearest_list_counts(machine: Path) -> None:
    """S1.2: the project's list wins over the user's, the user's over rt.toml, that over what is installed."""
    home = machine.parent / "home"
    assert names(table_roster(machine, Settings())) == list(CLIS)
    (machine / "rt.toml").write_text('roster = ["codex: gpt-5.2:high", "opencode"]\n')
    settings = configuration.load(machine)
    assert names(table_roster(machine, settings)) == ["codex", "opencode"]
    assert table_roster(machine, settings)[0][0].effort == "high"
    (home / "CLAUDE.md").write_text("## Multi-Agents\n- gemini\n- codex\n")
    assert names(table_roster(machine, settings)) == ["gemini", "codex"]
    (machine / "AGENTS.md").write_text("# no list here\n")
    (machine / "CLAUDE.md").write_text("## Multi-Agents\n- claude\n- codex\n")
    assert names(table_roster(machine, settings)) == ["claude", "codex"]


def test_a_cli_that_sits_twice(machine: Path) -> None:
    """Two models of one CLI are two seats whose names tell them apart."""
    (machine / "AGENTS.md").write_text(
        "## Multi-Agents\n- claude: opus\n- claude: sonnet\n- claude\n- claude\n"
    )
    seats = table_roster(machine, Settings())[0]
    assert [(s.slug, s.name) for s in seats] == [
        ("claude-opus", "Claude Code opus"),
        ("claude-sonnet", "Claude Code sonnet"),
        ("claude", "Claude Code"),
        ("claude-2", "Claude Code"),
    ]
    assert checked(seats) == seats


def test_what_cannot_sit_is_left_out(machine: Path) -> None:
    """S1.21: a CLI that is missing or unknown is left out; one line each says what to install; the others sit."""
    (machine / "AGENTS.md").write_text(
        "## Multi-Agents\n- claude\n- qwen\n- codex\n- Nemo\n- claude: --evil\n- kimi\n"
    )
    seats, warnings = table_roster(machine, Settings())
    assert [seat.slug for seat in seats] == ["claude", "codex"]
    said = "\n".join(warnings)
    assert len(warnings) == 4
    assert "qwen is left out: qwen is not installed: npm install" in said
    assert "'Nemo' is left out: no profile is called so" in said
    assert "'claude: --evil' is left out" in said
    assert "kimi is left out: kimi is not installed" in said


@pytest.mark.parametrize("name", ["claude", "CLAUDE", "Opus", "claude code", "Claude-Code"])
def test_skipping(machine: Path, name: str) -> None:
    """S1.1: a CLI, a model or a display name, in any case, is skipped: it appears nowhere."""
    (machine / "AGENTS.md").write_text(ALL)
    seats, warnings = table_roster(machine, Settings(), [name])
    assert [seat.slug for seat in seats] == ["codex", "gemini"]
    assert warnings == []


def test_skipping_somebody_who_is_not_there(machine: Path) -> None:
    """S1.1: an unknown name is an error that lists the roster; so is one that leaves nobody."""
    (machine / "AGENTS.md").write_text(ALL)
    with pytest.raises(
        BadConfigError, match=r"--skip qwen: the roster is: claude opus, codex, gemini gemini-2.5-pro"
    ):
        table_roster(machine, Settings(), ["qwen"])
    with pytest.raises(BadConfigError, match="nobody is left"):
        table_roster(machine, Settings(), ["claude", "codex", "gemini"])


def test_a_machine_without_agents(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.2: with less than two CLIs the default five sit on what there is, and it is said."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    seats, warnings = table_roster(machine, Settings())
    assert {seat.profile for seat in seats} == {"rehearsal"}
    assert len(seats) == 5
    assert "rehearsal sits five times" in warnings[0]


def test_the_host_seat() -> None:
    """S1.3: the host's seat is one more seat, called so, with a session of its own; without an option there is none."""
    seats = [SeatPlan("a", profile="rehearsal")]
    assert with_host(seats, "") == seats
    host = with_host(with_host(seats, "claude:opus"), "claude:opus")[1:]
    assert host == [SeatPlan("host", HOST_NAME, profile="claude", model="opus")]


@given(st.text(st.sampled_from("#-*+ `~:\nabMulti-Agents!/")) | st.text())
def test_any_notes_can_be_read(text: str) -> None:
    """No text crashes the reader, and no model of it could be taken for an option."""
    found = listed("## Multi-Agents\n" + text)
    assert found is not None
    assert not [one for one in found if one.model.startswith("-")]

"""Panels: what is in panels.toml, and who sits on a machine that has only some of the CLIs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rt_config import panels as data
from rt_config.errors import BadConfigError, CliMissingError, UnknownProfileError
from rt_config.settings import Settings
from rt_moderator import arranging, bare_panels, panels
from rt_moderator.engine.options import Options
from rt_moderator.plan import SeatPlan, checked
from rt_moderator.wish import Wish

Install = Callable[..., Settings]
ALL = ("claude", "codex", "gemini", "grok")
ROLES = {
    "debate": ["Advocate", "Devil's advocate", "Analyst", "Contrarian"],
    "build": ["Architect", "Reviewer", "Engineer", "Implementer"],
    "redteam": ["Defender", "Analyst", "Attacker", "Red teamer"],
    "vote": ["Voter"] * 4,
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put empty programs of these names on a PATH of their own."""

    def made(*names: str) -> Settings:
        for name in names:
            program = tmp_path / name
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return Settings()

    return made


def panel_seats(
    chosen: str, settings: Settings, *, mode: str = "", most: int = 0
) -> tuple[list[SeatPlan], list[str]]:
    """The seats of a panel, and everything that has to be said about them."""
    found = panels.seated(chosen, settings, mode=mode, most=most)
    return list(found.seats), panels.said(found)


@pytest.mark.parametrize("mode", list(ROLES))
def test_a_mode_has_its_panel(install: Install, mode: str) -> None:
    """S0.2, S0.34: with all four CLIs a mode seats its four roles on opus, codex, gemini and grok, and says nothing."""
    seats, warnings = panel_seats(mode, install(*ALL))
    order = (
        ["claude", "codex", "gemini", "grok"] if mode == "debate" else ["claude", "gemini", "grok", "codex"]
    )
    assert [seat.role for seat in seats] == ROLES[mode]
    assert [seat.profile for seat in seats] == order
    assert [seat.model for seat in seats] == ["opus", "", "", ""]
    assert warnings == []
    assert checked(seats, mode=mode) == seats


def test_equal_roles_are_meant_in_a_vote_only(install: Install) -> None:
    """S3.4: four voters are no mistake in mode vote; elsewhere the same role twice is refused."""
    seats, _ = panel_seats("vote", install(*ALL))
    assert [seat.name for seat in seats] == ["Voter 1", "Voter 2", "Voter 3", "Voter 4"]
    with pytest.raises(BadConfigError, match="same role"):
        checked(seats)


@pytest.mark.parametrize("chosen", ["", "default"])
def test_no_mode_has_the_panel_of_a_debate(install: Install, chosen: str) -> None:
    """S0.3: the default panel is the debate's."""
    seats, _ = panel_seats(chosen, install(*ALL), mode="default")
    assert [seat.role for seat in seats] == ROLES["debate"]


def test_a_missing_cli_without_fallback_seats_the_budget_panel(install: Install) -> None:
    """S0.32: the install line of each missing CLI is said, the roles stay, and what is installed sits, spread."""
    seats, warnings = panel_seats("build", install("claude", "codex"))
    assert [seat.role for seat in seats] == ROLES["build"]
    assert [seat.profile for seat in seats] == ["claude", "codex", "claude", "codex"]
    assert warnings[:2] == [
        "gemini is not installed: npm install -g @google/gemini-cli",
        "grok is not installed: npm install -g @xai-official/grok",
    ]
    assert "budget" in warnings[2]
    assert len(warnings) == 3


def test_one_cli_sits_several_times_and_is_flagged(install: Install) -> None:
    """S0.32: with one CLI it runs all the same, flagged one family."""
    seats, warnings = panel_seats("debate", install("codex"))
    assert {seat.profile for seat in seats} == {"codex"}
    assert warnings[-1] == "all 4 seats are of one family (openai): they are likely to err together"


def test_no_cli_at_all_is_a_rehearsal(install: Install) -> None:
    """S0.32: a machine without any agent CLI seats the scripted one, and names what is missing."""
    seats, warnings = panel_seats("vote", install())
    assert [seat.profile for seat in seats] == ["rehearsal"] * 4
    assert len([line for line in warnings if "is not installed" in line]) == 4


def test_a_named_fallback_sits_in_and_degrades(install: Install) -> None:
    """S0.29: a substitute is said with who, for whom, the family it doubles, and the install line."""
    found = panels.seated("full", install("claude", "codex"))
    assert [f"{seat.profile}:{seat.model}" for seat in found.seats] == [
        "claude:opus", "codex:", "claude:sonnet", "claude:sonnet",
    ]  # fmt: skip
    analyst, contrarian = found.degraded
    assert analyst == {
        "seat": "analyst",
        "why": "claude:sonnet sits in for gemini, which is not installed, now one family (anthropic) with advocate and contrarian",
        "action": "install it: npm install -g @google/gemini-cli",
    }
    assert contrarian["action"] == "install it: npm install -g @xai-official/grok"
    assert (found.synthesizer, found.analysts) == ("claude:sonnet", ("claude:opus", "codex"))


def test_quick_takes_the_first_three_that_can_run(install: Install) -> None:
    """S0.4: the first three available seats of the mode's panel; nobody is substituted when there are three."""
    seats, warnings = panel_seats("debate", install("claude", "gemini", "grok"), most=3)
    assert [seat.slug for seat in seats] == ["advocate", "analyst", "contrarian"]
    assert warnings == []


def test_quick_with_one_cli_takes_the_budget_panel(install: Install) -> None:
    """S0.4, S0.32: three seats of the one CLI, said."""
    seats, warnings = panel_seats("debate", install("claude"), most=3)
    assert [seat.profile for seat in seats] == ["claude"] * 3
    assert len(warnings) == 5


def test_quick_cuts_no_list(install: Install) -> None:
    """S0.5: a list names its seats, quick or not."""
    assert len(panels.seated("claude,codex,gemini,grok", install(*ALL), most=3).seats) == 4


def test_a_list_names_the_seats_and_no_others(install: Install) -> None:
    """S0.5: PROFILE[:MODEL[:EFFORT]] by commas, in the roles of the mode; more than four have none."""
    settings = install(*ALL)
    seats, warnings = panel_seats("codex:o5:high, rehearsal:agree", settings, mode="redteam")
    assert [(s.role, s.profile, s.model, s.effort) for s in seats] == [
        ("Defender", "codex", "o5", "high"), ("Analyst", "rehearsal", "agree", ""),
    ]  # fmt: skip
    assert warnings == []
    five, _ = panel_seats("claude,codex,gemini,grok,rehearsal", settings)
    assert [seat.slug for seat in five][3:] == ["contrarian", "seat-5"]
    assert checked(five) == five


def test_a_listed_cli_that_is_missing_is_left_out_and_said(install: Install) -> None:
    """S0.30: nothing sits in for a seat named by hand; with none left it is an error."""
    settings = install("claude")
    found = panels.seated("claude,gemini", settings)
    assert [seat.slug for seat in found.seats] == ["advocate"]
    assert [one["seat"] for one in found.degraded] == ["devils-advocate"]
    assert panel_seats("claude,gemini", settings)[1] == [
        "devils-advocate: left out, gemini is not installed (install it: npm install -g @google/gemini-cli)"
    ]
    with pytest.raises(CliMissingError):
        panels.seated("gemini", settings)


def test_what_is_neither_panel_nor_profile_is_refused(install: Install) -> None:
    """S0.5: the error lists the panels and the profiles there are."""
    with pytest.raises(BadConfigError, match=r"budget.*claude"):
        panel_seats("nobody", install("claude"))
    with pytest.raises(UnknownProfileError):
        panel_seats("claude,nobody", install("claude"))


def test_a_panel_of_the_users_own(install: Install) -> None:
    """S0.5, S0.34: [panel.NAME] of the configuration is a panel like any other, and changes a built-in key by key."""
    own: dict[str, dict[str, Any]] = {"mine": {"seats": [{"profile": "rehearsal", "model": "dissent", "role": "Nay"}, {"profile": "*"}]},
           "vote": {"synthesizer": "rehearsal"}}  # fmt: skip
    install("codex")
    settings = Settings(panel=own)
    seats, warnings = panel_seats("mine", settings)
    assert [(s.slug, s.profile, s.model) for s in seats] == [
        ("nay", "rehearsal", "dissent"),
        ("seat-2", "codex", ""),
    ]
    assert warnings == []
    assert panels.seated("vote", settings).synthesizer == "rehearsal"
    assert len(data.load(settings)["vote"].seats) == 4


@pytest.mark.parametrize(
    ("panel", "where"),
    [
        ({"seats": []}, "panel.bad.seats"),
        ({"seats": [{"role": "x"}]}, "panel.bad.seats.0.profile"),
        ({}, "panel.bad.seats"),
    ],
)
def test_a_panel_that_does_not_read_is_named(panel: dict[str, object], where: str) -> None:
    """S0.34: panels are validated when they are loaded; the error says which key."""
    with pytest.raises(BadConfigError, match=where):
        data.load(Settings(panel={"bad": panel}))


def test_what_a_format_is_told_of_the_machine(install: Install) -> None:
    """S0.14: the roster holds what panels name and is installed, then the other installed CLIs; Options take it as it is."""
    settings = install("claude", "opencode")
    fields = panels.option_fields(panels.seated("debate", settings), settings)
    assert fields["roster"] == ("claude:opus", "opencode")
    options = Options.model_validate(fields)
    assert options.families["claude"] == "anthropic"
    assert (options.analyst_seconds, options.validation_seconds, options.synthesis_seconds) == (90, 60, 180)


def test_availability_names_the_missing_of_every_panel(install: Install) -> None:
    """S0.34: which panels can sit here, and what is missing for the others."""
    rows = {row["panel"]: row for row in panels.availability(install("claude", "codex"))}
    assert rows["debate"] == {
        "panel": "debate", "format": "debate", "seats": 4, "roles": ROLES["debate"], "missing": ["gemini", "grok"],
    }  # fmt: skip
    assert rows["budget"]["missing"] == []


def test_a_panel_of_a_format_without_roles(install: Install) -> None:
    """S2.9, S3.3, S3.8: nobody has a role, each is called as what it runs on, and who is missing is said."""
    settings = install("claude", "codex")
    assert [seat.slug for seat in bare_panels.everybody("claude,claude:opus,claude,kimi", settings)] == [
        "claude", "claude-opus", "claude-2", "kimi",
    ]  # fmt: skip
    seats, changes, said = bare_panels.seated("claude:opus,gemini", settings)
    assert [(seat.slug, seat.role, seat.viewpoint, seat.model) for seat in seats] == [
        ("claude-opus", "", "", "opus")
    ]
    assert [(one["kind"], one["seat"]) for one in changes] == [("left_out", "gemini")]
    assert said == [
        "gemini: left out, gemini is not installed (install it: npm install -g @google/gemini-cli)"
    ]
    seats, _, said = bare_panels.seated("debate", settings)
    assert {seat.profile for seat in seats} == {"claude", "codex"}
    assert not any(seat.role for seat in seats)
    assert any("gemini is not installed" in line for line in said)
    with pytest.raises(BadConfigError):
        bare_panels.everybody("nobody", settings)


@pytest.mark.parametrize("format_", ["open", "table", "panel", "debate"])
def test_who_is_left_out_of_a_list_is_said_and_degrades(install: Install, format_: str) -> None:
    """S1.21, S3.8: whatever the format, a CLI of the list that is missing is named with what to install; the others sit."""
    wish = Wish("T", format=format_, panel="claude,gemini,codex", run=format_ != "open")
    found = arranging.arranged(wish, install("claude", "codex"))
    assert len(found.request.seats) == 2
    assert [one["why"] for one in found.request.changes] == ["left out, gemini is not installed"]
    assert any("npm install -g @google/gemini-cli" in line for line in found.warnings)


@pytest.mark.parametrize("format_", ["open", "debate", "panel", "interpret"])
def test_what_is_skipped_appears_nowhere(install: Install, format_: str) -> None:
    """S1.1: a slug, CLI or model is left out, whatever the format; an unknown name is an error that lists who there is."""
    named = [SeatPlan(name, profile=name) for name in ("claude", "codex", "gemini", "opencode")]
    settings = install("claude", "codex", "gemini", "opencode")
    wish = Wish("T", format=format_, seats=named, skip=["Gemini"], run=True)
    assert [seat.slug for seat in arranging.arranged(wish, settings).request.seats] == [
        "claude",
        "codex",
        "opencode",
    ]
    with pytest.raises(BadConfigError, match="there are: claude"):
        arranging.arranged(replace(wish, skip=["nemo"]), settings)


def test_what_is_skipped_analyses_and_writes_nothing(install: Install) -> None:
    """S1.1: of `auto` a skipped CLI is no analyst, no synthesizer and sits in no seat that comes later."""
    wish = Wish("T", skip=["claude"], run=True)
    found = json.loads(arranging.arranged(wish, install("claude", "codex", "gemini")).request.options)
    assert "codex" in "".join(found["roster"])
    for name in ("roster", "analysts", "synthesizer"):
        assert "claude" not in "".join(found.get(name, ""))
    with pytest.raises(BadConfigError, match="nobody is left"):
        arranging.arranged(
            replace(wish, skip=["claude", "codex", "gemini"]), install("claude", "codex", "gemini")
        )

"""Who sits in `interpret`: the default panel, why a seat is out, and the quorum."""

from __future__ import annotations

from pathlib import Path

import pytest

from rt_config import packed_spec
from rt_config.errors import BadConfigError, TooFewSeatsError
from rt_config.settings import Settings
from rt_moderator import arranging, roster
from rt_moderator.formats.interpreting.seats import interpret_seats, packed, places, seated, unpacked
from rt_moderator.plan import SeatPlan
from rt_moderator.wish import Wish


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make programs of these names the only ones on PATH."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o700)
    monkeypatch.setenv("PATH", str(folder))


def test_the_default_panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.9, S3.10, S3.11: four seats, codex at high effort; each says its path before anything is launched."""
    installed(tmp_path, monkeypatch, "claude", "codex", "gemini", "kimi")
    found = interpret_seats(Settings(), "write")
    assert [(one.seat.slug, one.path, one.status) for one in found] == [
        ("opus", "claude opus headless", "ready"),
        ("codex", "codex high headless", "ready"),
        ("gemini", "gemini headless", "ready"),
        ("kimi", "kimi headless", "ready"),
    ]
    assert [(s.role, s.viewpoint, s.fallback) for s in seated(found)] == [("", "", "")] * 4
    assert seated(found)[1].effort == "high"


def test_how_the_default_panel_is_launched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.5, S3.10: every seat is launched read-only, codex with high effort, claude with its model."""
    installed(tmp_path, monkeypatch, "claude", "codex", "gemini")
    seats = roster.completed(seated(interpret_seats(Settings())), Settings())
    fields = [roster.seat_fields("rt-1", seat, Settings(), cwd="/", access="read-only") for seat in seats]
    specs = [packed_spec.unpacked(one["spec"]) for one in fields]
    assert [one["access"] for one in specs] == ["read-only"] * 3
    claude, codex, gemini = (" ".join(one["start"]) for one in specs)
    assert "--permission-mode plan --allowedTools Bash(rt:*) --model {model}" in claude
    assert "sandbox_mode=read-only" in codex
    assert "model_reasoning_effort={effort}" in codex
    assert (specs[0]["model"], specs[1]["effort"]) == ("opus", "high")
    assert "--approval-mode plan" in gemini


def test_roles_are_refused() -> None:
    """S3.3: a role or a viewpoint for a seat of `interpret` is an error, not something that is quietly dropped."""
    seats = [SeatPlan(slug, profile="rehearsal") for slug in "abc"]
    given = {"a": "Skeptic"}
    for wish in (
        Wish("x", format="interpret", seats=seats, roles=given),
        Wish("x", format="interpret", seats=seats, viewpoints=given),
    ):
        with pytest.raises(BadConfigError, match="interpret gives no roles"):
            arranging.arranged(wish, Settings())


def test_agy_sits_where_gemini_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.9: the third seat is gemini or agy, whichever is there; never both, never another family."""
    installed(tmp_path, monkeypatch, "claude", "codex", "agy")
    assert [one.seat.profile for one in interpret_seats(Settings())] == ["claude", "codex", "agy", "kimi"]


def test_what_blocks_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.13, S3.5: a blocked seat says what to install, or that nothing keeps it from writing; three others go on."""
    installed(tmp_path, monkeypatch, "claude", "codex", "gemini", "kimi")
    found = interpret_seats(Settings())
    assert [one.status for one in found] == ["ready", "ready", "ready", "blocked"]
    assert "nothing keeps it from writing" in found[3].blocked_reason
    assert [seat.slug for seat in seated(found)] == ["opus", "codex", "gemini"]
    assert unpacked({"seat_table": packed(found)})[3]["blocked_reason"] == found[3].blocked_reason


def test_too_few_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.8, S3.9: with two seats it does not start and names every missing one with what it lacks."""
    installed(tmp_path, monkeypatch, "claude", "codex")
    with pytest.raises(TooFewSeatsError) as refused:
        seated(interpret_seats(Settings()))
    text = str(refused.value)
    assert text.startswith("interpret needs 3 seats, there are 2; missing: gemini (")
    assert "npm install -g @google/gemini-cli" in text
    assert "agy is not installed" in text
    assert "kimi (" in text
    with pytest.raises(TooFewSeatsError, match="missing: more seats"):
        seated(places([SeatPlan("a"), SeatPlan("b")], Settings(default_profile="rehearsal")))


def test_any_panel_loses_its_roles() -> None:
    """S3.3: other panels may be given; no seat of one keeps a role, a viewpoint or a fallback, and an unknown profile blocks."""
    given = [
        SeatPlan("a", role="Skeptic", viewpoint="cost", profile="rehearsal", fallback="rehearsal"),
        SeatPlan("b", command=("cat",)),
        SeatPlan("c", profile="nobody"),
    ]
    found = places(given, Settings())
    assert [(one.seat.role, one.seat.viewpoint, one.seat.fallback) for one in found] == [("", "", "")] * 3
    assert [one.status for one in found] == ["ready", "ready", "blocked"]
    assert "nobody" in found[2].blocked_reason


@pytest.mark.parametrize("kept", ["", "{", "3", '["a"]', "[]"])
def test_a_seat_table_that_is_none(kept: str) -> None:
    """What does not read as a seat table is an empty one."""
    assert unpacked({"seat_table": kept}) == []
    assert unpacked({}) == []

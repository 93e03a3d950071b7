"""Who audits when nobody was named."""

from __future__ import annotations

from pathlib import Path

import pytest

from rt_config import profiles as catalog
from rt_config.errors import BadConfigError, TooFewSeatsError, UnknownProfileError
from rt_config.settings import Settings
from rt_moderator.formats.audit.seats import audit_seats, family_warnings, with_lenses
from rt_moderator.plan import SeatPlan, checked


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Put programs of these names, and nothing else, on PATH."""

    def put(*names: str) -> None:
        for name in names:
            (tmp_path / name).write_text("#!/bin/sh\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return put


def _profiles(seats: list[SeatPlan]) -> list[str]:
    return [seat.profile for seat in checked(seats)]


def test_codex_and_command_code_by_default(installed) -> None:  # type: ignore[no-untyped-def]
    """S2.10: the default two seats of an audit, though other CLIs are proposed before them; they have no roles."""
    installed("codex", "cmd", "claude", "gemini")
    seats, warnings = audit_seats("panel", Settings())
    assert [(s.slug, s.profile, s.role) for s in seats] == [
        ("codex", "codex", ""),
        ("commandcode", "commandcode", ""),
    ]
    assert warnings == []


def test_two_families_else(installed) -> None:  # type: ignore[no-untyped-def]
    """S2.10: without that pair, the first two installed CLIs of different families; the moderator's family comes last."""
    installed("codex", "claude", "gemini")
    assert _profiles(audit_seats("panel", Settings())[0]) == ["claude", "codex"]
    assert _profiles(audit_seats("pingpong", Settings(), moderator="claude:opus")[0]) == ["codex", "gemini"]
    assert _profiles(audit_seats("panel", Settings(default_profile="gemini"))[0])[0] == "gemini"


def test_one_of_the_moderators_family_is_said(installed) -> None:  # type: ignore[no-untyped-def]
    """S2.11: a seat of the moderator's family adds no diversity, chosen or named."""
    installed("codex", "claude")
    seats, warnings = audit_seats("panel", Settings(), moderator="claude")
    assert _profiles(seats) == ["codex", "claude"]
    assert warnings == ["claude is of the moderator's family (anthropic) and adds no diversity."]
    named = [SeatPlan("a", profile="claude"), SeatPlan("b", profile="codex"), SeatPlan("c", profile="claude")]
    assert (
        "a and c are of the moderator's family" in family_warnings(named, Settings(), moderator="claude")[0]
    )
    with pytest.raises(UnknownProfileError):
        audit_seats("panel", Settings(), moderator="nobody")


def test_one_cli_or_none(installed) -> None:  # type: ignore[no-untyped-def]
    """One CLI sits twice and its agreement is called no confirmation; without any the seats are scripted, which is said."""
    installed("claude")
    seats, warnings = audit_seats("panel", Settings())
    assert [(s.slug, s.profile) for s in checked(seats)] == [("claude", "claude"), ("claude-2", "claude")]
    assert "one family (anthropic)" in warnings[0]


def test_nothing_installed(installed) -> None:  # type: ignore[no-untyped-def]
    """A machine without an agent CLI still runs, with scripted seats, and says so."""
    installed()
    seats, (warning,) = audit_seats("panel", Settings())
    assert _profiles(seats) == ["rehearsal", "rehearsal"]
    assert "scripted" in warning


def test_a_seat_for_each_lens(installed) -> None:  # type: ignore[no-untyped-def]
    """S2.9: roles has auditor, devil's advocate, architect and QA, spread over the families; --lenses names others."""
    installed("codex", "claude")
    seats, _ = audit_seats("roles", Settings())
    assert [s.slug for s in checked(seats)] == ["auditor", "devils-advocate", "architect", "qa"]
    assert [s.role for s in seats] == ["Auditor", "Devil's advocate", "Architect", "QA"]
    assert [s.profile for s in seats] == ["claude", "codex", "claude", "codex"]
    seats, _ = audit_seats("roles", Settings(), ["Devil's Advocate", "privacy law", "QA"])
    assert [(s.slug, s.role) for s in checked(seats)] == [
        ("devils-advocate", "Devil's advocate"), ("privacy-law", "privacy law"), ("qa", "QA"),
    ]  # fmt: skip
    with pytest.raises(TooFewSeatsError):
        audit_seats("roles", Settings(), ["qa"])


def test_command_code_as_a_user_describes_it() -> None:
    """S2.5: the shipped profile is kept in plan mode; a user's TOML gives it a live session and resume by explicit id."""
    shipped = catalog.load(Settings())["commandcode"]
    assert shipped.headless is not None
    assert shipped.headless.read_only == ("--permission-mode", "plan")
    assert shipped.unverified
    call = ["cmd", "-p", "{options}"]
    mine = {
        "extends": "commandcode", "default_transport": "acp", "acp": {"argv": ["cmd", "acp"]},
        "headless": {"start": [*call, "--session-id", "{session}"], "resume": [*call, "--resume", "{session}"], "session": "set"},
    }  # fmt: skip
    found = catalog.load(Settings(profiles={"cmd": mine}))["cmd"]
    assert catalog.launch_spec(found, "", "", "read-only", "/", "auto")["transport"] == "acp"
    spec = catalog.launch_spec(found, "", "", "read-only", "/", "headless")
    assert tuple(spec["resume"][-2:]) == ("--resume", "{session}")
    assert "plan" in spec["start"]


def test_named_seats_look_through_lenses_too() -> None:
    """S2.9: seats that were named get the lenses in order; a role of their own stays; too few lenses are an error."""
    seats = [SeatPlan("a"), SeatPlan("b", role="Mine"), SeatPlan("c"), SeatPlan("d")]
    found = with_lenses(seats, ["QA", "privacy law"], roles=["d"])
    assert [seat.role for seat in found] == ["QA", "Mine", "privacy law", ""]
    assert [seat.slug for seat in found] == list("abcd")
    assert with_lenses([SeatPlan("a")], [])[0].role == "Auditor"
    with pytest.raises(BadConfigError, match="3 seats have no role and 2 lenses"):
        with_lenses(seats, ["QA", "law"])

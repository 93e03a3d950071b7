"""From options or a file to seats that can be launched."""

from __future__ import annotations

from pathlib import Path

import pytest

from rt_config import packed_spec
from rt_config.errors import (
    BadConfigError,
    CliMissingError,
    UnknownProfileError,
    UsageError,
    WorkdirMissingError,
)
from rt_config.settings import Settings
from rt_moderator import roster
from rt_moderator.plan import DEFAULT_FIVE, SeatPlan, checked

HERE = {"cwd": "/", "access": "read-only"}


def seats_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "seats.toml"
    path.write_text(text)
    return path


def test_seats_from_options() -> None:
    """`--seat` names profile, model, effort and transport, or an argv of its own."""
    assert roster.from_options(["a=claude:opus:high@headless", "b=!cat -u", "c=rehearsal"]) == [
        SeatPlan("a", profile="claude", model="opus", effort="high", transport="headless"),
        SeatPlan("b", profile="command", command=("cat", "-u")),
        SeatPlan("c", profile="rehearsal"),
    ]


def test_seats_from_a_file(tmp_path: Path) -> None:
    """S4.11: a seats file gives every field of a seat; a command may be a list, or a line read as a shell reads it."""
    text = """
    [[seat]]
    slug = "a"
    name = "Ann"
    role = "Skeptic"
    viewpoint = "cost"
    profile = "claude"
    model = "opus"
    effort = "high"
    transport = "headless"
    fallback = "tui"
    [[seat]]
    slug = "b"
    command = ["my agent", "--stdin"]
    [[seat]]
    slug = "c"
    command = "agent 'two words'"
    """
    assert roster.from_file(seats_file(tmp_path, text)) == [
        SeatPlan("a", "Ann", "Skeptic", "cost", "claude", "opus", "high", "headless", "tui"),
        SeatPlan("b", command=("my agent", "--stdin")),
        SeatPlan("c", command=("agent", "two words")),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[seat]\n", "seats.toml"),
        ("[[seat]]\nprofile = 'rehearsal'\n", "every seat needs a slug"),
        ("[[seat]]\nslug = 'a'\nmodell = 'x'\n", "a seat has no 'modell'"),
        ("seat = 'a'\n", r"\[\[seat\]\]"),
        ("seat = ['a']\n", r"\[\[seat\]\]"),
        ("[[seats]]\nslug = 'a'\n", r"\[\[seat\]\]"),
        ("", r"\[\[seat\]\]"),
        ("[[seat]]\nslug = 'a'\ncommand = 'say \"'\n", "quotation"),
        ("[[seat]]\nslug = 'a'\ncommand = 3\n", "command"),
    ],
)
def test_a_file_that_is_no_seats_file(tmp_path: Path, text: str, why: str) -> None:
    """What does not read as seats is refused with the file's name and the reason."""
    with pytest.raises(BadConfigError, match=why) as failed:
        roster.from_file(seats_file(tmp_path, text))
    assert "seats.toml" in str(failed.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are not UTF-8 are the same kind of error."""
    (tmp_path / "latin").write_bytes(b"\xff")
    for name in ("nothing", ".", "latin"):
        with pytest.raises(BadConfigError):
            roster.from_file(tmp_path / name)


def test_the_proposal_without_any_agent() -> None:
    """S4.11: on a machine without an agent CLI the default five are rehearsal seats, and they can be completed."""
    seats = roster.proposed(Settings())
    assert [seat.slug for seat in seats] == [slug for slug, _, _ in DEFAULT_FIVE]
    assert {seat.profile for seat in seats} == {"rehearsal"}
    assert roster.completed(checked(seats), Settings()) == seats


def test_the_proposal_spreads_over_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4.11: two installed CLIs of different families alternate; a configured default comes first."""
    for name in ("claude", "codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = [seat.profile for seat in roster.proposed(Settings())]
    assert set(found[:2]) == {"claude", "codex"}
    assert found[0] == found[2] == found[4]
    assert roster.proposed(Settings(default_profile="codex"))[0].profile == "codex"
    with pytest.raises(UnknownProfileError):
        roster.proposed(Settings(default_profile="nothing"))


def test_seats_are_completed() -> None:
    """A seat without profile gets the default one; one without name is called by its role, else its slug."""
    seats = [
        SeatPlan("a"),
        SeatPlan("b", role="Builder"),
        SeatPlan("c", command=("cat",)),
        SeatPlan("d", "D"),
    ]
    found = roster.completed(seats, Settings())
    assert [(s.name, s.profile) for s in found] == [
        ("A", "rehearsal"),
        ("Builder", "rehearsal"),
        ("c".upper(), "command"),
        ("D", "rehearsal"),
    ]


@pytest.mark.parametrize(
    ("seat", "error"),
    [
        (SeatPlan("a", profile="nothing"), UnknownProfileError),
        (SeatPlan("a", profile="claude"), CliMissingError),
        (SeatPlan("a", command=("no-such-program",)), CliMissingError),
        (SeatPlan("a", profile="command"), UsageError),
    ],
)
def test_a_seat_that_cannot_run_here(seat: SeatPlan, error: type[Exception]) -> None:
    """An unknown profile and a CLI that is not installed are named before anything is made."""
    with pytest.raises(error):
        roster.completed([seat], Settings())


def test_the_fields_of_a_seat() -> None:
    """S4.4, S4.5: person, address, title and tmux name follow the table's id; the launch spec goes along."""
    plan = roster.completed([SeatPlan("a", role="Skeptic", viewpoint="cost")], Settings())[0]
    found = roster.seat_fields("rt-1", plan, Settings(kill_grace_seconds=2.0), **HERE)
    assert (found["person"], found["address"]) == ("participant/a", "agent-deck/rt-1--a")
    assert (found["session"], found["tmux"]) == ("roundtable-rt-1-a", "rt-1--a")
    assert (found["workdir"], found["transport"]) == ("/", "headless")
    spec = packed_spec.unpacked(found["spec"])
    assert (spec["cwd"], spec["access"], spec["kill_grace_seconds"]) == ("/", "read-only", 2.0)


@pytest.mark.parametrize(
    ("seat", "cwd", "error"),
    [
        (SeatPlan("a", profile="rehearsal"), "/no/such/folder", WorkdirMissingError),
        (SeatPlan("a", profile="rehearsal", model="big"), "/", BadConfigError),
        (SeatPlan("a", profile="rehearsal", effort="high"), "/", BadConfigError),
        (SeatPlan("a", profile="rehearsal", transport="acp"), "/", BadConfigError),
    ],
)
def test_what_a_profile_does_not_take(seat: SeatPlan, cwd: str, error: type[Exception]) -> None:
    """A folder that is missing, and a model, effort or transport that the profile lacks, are refused."""
    with pytest.raises(error):
        roster.seat_fields("rt-1", seat, Settings(), **HERE | {"cwd": cwd})


def test_families() -> None:
    """Every built-in profile says whose models answer."""
    assert roster.families(Settings())["rehearsal"] == "rehearsal"

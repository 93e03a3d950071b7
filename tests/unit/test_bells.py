"""When a seat's bell rings, as a table of moments and actions; and how a screen is read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rt_deck import screen
from rt_moderator import bells
from rt_moderator.bells import Bell, EnterAgain, Fail, Limits, Look, Retire, Ring, Show, decide

NOW = 1_000_000
LIMITS = Limits(start=60_000, unknown=15_000, inactivity=300_000)
KNOWN = screen.signals(
    {
        "busy_title": ["^\\* "],
        "busy": ["esc to stop"],
        "dialog": ["^\\[1\\] no"],
        "ready": ["^> "],
        "draft": "^> (.*)$",
    }
)


def seat(**fields: str) -> dict[str, Any]:
    return {"slug": "a", "state": "idle", "seen_mark": "k", "transport": "tui"} | fields


def turn(**fields: str) -> dict[str, Any]:
    return {"id": "m1/a", "attempt": "1"} | fields


def look(state: screen.State = "ready", for_ms: int = 1000, **fields: Any) -> Look:
    return Look(state, for_ms=for_ms, mark="k", words="last words", **fields)


def rung(rings: int = 1, ago_ms: int = 0, enters: int = 0, mark: str = "k") -> dict[str, str]:
    return {"bell": Bell("m1/a", 1, mark, rings, enters, NOW - ago_ms).dumps()}


LEASED = {"leased": "1", "leased_at": str(NOW - 60_000)}


def test_nothing_due_rings_nothing() -> None:
    """Without a turn the bell is silent, whatever the screen shows."""
    for state in ("ready", "busy", "draft", "copy_mode", "dead"):
        assert decide(seat(), None, look(state), NOW, LIMITS) == []


def test_a_ready_screen_is_rung_once() -> None:
    """A due turn rings at once, and not again while that nudge is young."""
    first = Ring("a", Bell("m1/a", 1, "k", 1, 0, NOW))
    assert decide(seat(), turn(), look(), NOW, LIMITS) == [first]
    assert decide(seat(), turn(), look(for_ms=0), NOW, LIMITS) == []
    assert decide(seat(**rung(ago_ms=5000)), turn(), look(for_ms=5000), NOW, LIMITS) == []


@pytest.mark.parametrize("state", ["busy", "dialog", "copy_mode", "unknown", "dead"])
def test_no_other_screen_is_typed_into(state: screen.State) -> None:
    """Neither while busy, in a dialog or copy mode, nor into a screen that nobody knows."""
    for ago in (0, 3_600_000):
        found = decide(seat(**rung(ago_ms=ago)), turn(), look(state, 3_600_000), NOW, LIMITS)
        assert not [one for one in found if isinstance(one, Ring | EnterAgain)]


def test_a_persons_draft_is_left_alone_and_said() -> None:
    """A half-typed line of a person's holds the nudge, and the status says so, once."""
    held = Show("a", "idle", "not nudged: a draft stands in its input line", "k")
    assert decide(seat(), turn(), look("draft", draft="dear a"), NOW, LIMITS) == []
    assert decide(seat(), turn(), look("draft", 20_000, draft="dear a"), NOW, LIMITS) == [held]
    assert decide(seat(reason=held.reason), turn(), look("draft", 30_000, draft="dear a"), NOW, LIMITS) == []


def test_a_swallowed_enter_is_sent_again_a_few_times() -> None:
    """Our own line in the input gets Enter alone, four times at most, then the attempt fails; nothing is typed twice."""
    ours = look("draft", draft=bells.LINE[:60])
    assert decide(seat(**rung(ago_ms=100)), turn(), ours, NOW, LIMITS) == []
    again = EnterAgain("a", Bell("m1/a", 1, "k", 1, 1, NOW))
    assert decide(seat(**rung(ago_ms=1000)), turn(), ours, NOW, LIMITS) == [again]
    assert decide(seat(**rung(ago_ms=1900, enters=1)), turn(), ours, NOW, LIMITS) == []
    (failed,) = decide(seat(**rung(ago_ms=16_000, enters=4)), turn(), ours, NOW, LIMITS)
    assert failed == Fail("a", "m1/a", 1, "its screen takes no Enter: last words")
    assert decide(seat(), turn(), ours, NOW, LIMITS) == []  # a line that we did not type is a person's


def test_a_nudge_that_led_to_nothing_is_repeated_then_a_strike() -> None:
    """Three nudges, each after twice as long of a screen that stayed ready, then the attempt has failed."""
    quiet = look(for_ms=61_000)
    assert [type(one) for one in decide(seat(**rung(1, 15_000)), turn(), quiet, NOW, LIMITS)] == [Ring]
    assert decide(seat(**rung(2, 15_000)), turn(), quiet, NOW, LIMITS) == []
    assert [type(one) for one in decide(seat(**rung(2, 30_000)), turn(), quiet, NOW, LIMITS)] == [Ring]
    (failed,) = decide(seat(**rung(3, 60_000)), turn(), quiet, NOW, LIMITS)
    assert failed == Fail("a", "m1/a", 1, "it did not take its turn after 3 nudges: last words")
    assert (
        decide(seat(**rung(1, 15_000)), turn(), look(for_ms=2000), NOW, LIMITS) == []
    )  # it was busy meanwhile


def test_an_agent_that_stops_without_an_answer_is_reminded() -> None:
    """A turn that was taken and lies there is rung again after 20 s of a ready screen, then fails."""
    assert decide(seat(**rung(1, 19_000)), turn(**LEASED), look(for_ms=19_000), NOW, LIMITS) == []
    (again,) = decide(seat(**rung(1, 20_000)), turn(**LEASED), look(for_ms=20_000), NOW, LIMITS)
    assert isinstance(again, Ring)
    (failed,) = decide(seat(**rung(3, 80_000)), turn(**LEASED), look(for_ms=80_000), NOW, LIMITS)
    assert isinstance(failed, Fail)
    assert failed.reason.startswith("it stopped without an answer")


def test_a_new_session_is_rung_anew() -> None:
    """A nudge typed into a session that is gone does not count for the next one."""
    assert decide(seat(**rung(3, 0, mark="old")), turn(), look(), NOW, LIMITS) == [
        Ring("a", Bell("m1/a", 1, "k", 1, 0, NOW))
    ]


@pytest.mark.parametrize(
    ("state", "after", "what"), [("dialog", 2000, "asks something"), ("unknown", 15_000, "shows something")]
)
def test_a_screen_nobody_knows_blocks_the_seat(state: screen.State, after: int, what: str) -> None:
    """A dialog, or a screen unknown for a while, is blocked with its last lines; said once, and over when it is over."""
    assert decide(seat(), turn(), look(state, after - 1), NOW, LIMITS) == []
    (blocked,) = decide(seat(), turn(), look(state, after), NOW, LIMITS)
    assert isinstance(blocked, Show)
    assert (blocked.state, what in blocked.reason, "last words" in blocked.reason) == ("blocked", True, True)
    known = seat(state="blocked", reason=blocked.reason)
    assert decide(known, turn(), look(state, after), NOW, LIMITS) == []
    assert decide(known, None, look(), NOW, LIMITS) == [Show("a", "idle", mark="k")]


def test_a_login_is_said_with_its_fix() -> None:
    """A dialog that is a login says how to log in, not what else stands there."""
    told = "not logged in (Not logged in): start it and use /login"
    (blocked,) = decide(seat(), turn(), look("dialog", 5000, login=told), NOW, LIMITS)
    assert blocked == Show("a", "blocked", told)


def test_a_starting_screen_gets_its_time() -> None:
    """Until it was ready once, a session may show what it likes for its profile's start time."""
    young = seat(state="starting", seen_mark="")
    assert decide(young, turn(), look("unknown", 59_000), NOW, LIMITS) == []
    assert decide(young, turn(), look("unknown", 60_000), NOW, LIMITS)
    assert decide(young, None, look(), NOW, LIMITS) == [Show("a", "idle", mark="k")]


def test_silence_while_busy_is_a_failure() -> None:
    """A busy screen without any output for the inactivity time fails the attempt; one that prints does not."""
    assert decide(seat(**rung()), turn(**LEASED), look("busy", 400_000, silent_ms=299_000), NOW, LIMITS) == []
    (failed,) = decide(seat(**rung()), turn(**LEASED), look("busy", 400_000, silent_ms=300_000), NOW, LIMITS)
    assert failed == Fail("a", "m1/a", 1, "inactivity: nothing came for 300 s")
    assert (
        decide(seat(), turn(**LEASED), look("busy", silent_ms=300_000), NOW, replace(LIMITS, inactivity=0))
        == []
    )


def test_a_session_that_ran_out_of_time_is_ended_after_its_drain() -> None:
    """After a time-out a busy agent may drain; then, or when the next turn is due, its session ends."""
    late = seat(retire_at=str(NOW + 1))
    assert decide(late, None, look("busy"), NOW, LIMITS) == []
    for found in (
        decide(late, None, look("busy"), NOW + 1, LIMITS),
        decide(late, turn(), look("busy"), NOW, LIMITS),
        decide(late, None, look("ready"), NOW, LIMITS),
    ):
        assert found == [Retire("a")]


def test_a_seat_that_starts_anew_each_turn_gets_a_new_session() -> None:
    """A session that was asked for another turn is ended before a seat that must know nothing is asked again."""
    other = {"bell": Bell("m0/a", 1, "k", 1, 0, 0).dumps()}
    assert decide(seat(fresh="1", **other), turn(), look(), NOW, LIMITS) == [Retire("a")]
    assert [type(one) for one in decide(seat(**other), turn(), look(), NOW, LIMITS)] == [Ring]


def test_the_ladder_goes_first() -> None:
    """An attempt that has failed is rung no more."""
    assert decide(seat(), turn(failed_attempt="1"), look(), NOW, LIMITS) == []


def test_the_bell_is_one_printable_line() -> None:
    """The nudge is one fixed ASCII line that fits the deck's rule."""
    assert bells.LINE.isascii()
    assert bells.LINE.isprintable()
    assert len(bells.LINE) <= 200
    assert json.loads(Bell().dumps()) == ["", 0, "", 0, 0, 0]


@pytest.mark.parametrize(
    ("title", "text", "state", "draft"),
    [
        ("- x", "hello\n> \x1b[2mType here\x1b[0m\nfooter", "ready", ""),
        ("- x", "hello\n> dear all\x1b[2m ghost\x1b[0m", "draft", "dear all"),
        ("* x", "hello\n> ", "busy", ""),
        ("- x", "thinking, esc to stop\n> ", "busy", ""),
        ("- x", "Trust this folder?\n[1] no, exit\n> ", "dialog", ""),
        ("* x", "somebody quoted:\n[1] no, exit", "busy", ""),
        ("", "", "unknown", ""),
        ("Gi=31,s=1", "> \x1b[38;5;2mgreen\x1b[39m", "draft", "green"),
    ],
)
def test_a_screen_is_read(title: str, text: str, state: str, draft: str) -> None:
    """Title first, then dialogs, then text; dim text is a placeholder, coloured text is not."""
    found = screen.read(screen.Screen(title, screen.lines_of(text)), KNOWN)
    assert (found.state, found.draft) == (state, draft)


def test_a_dead_pane_and_copy_mode_win_over_the_text() -> None:
    """Nothing on a dead pane, or above a reader's head, says that it is ready."""
    lines = screen.lines_of("> ")
    assert screen.read(screen.Screen("", lines, dead=True), KNOWN).state == "dead"
    assert screen.read(screen.Screen("", lines, in_mode=True), KNOWN).state == "copy_mode"


def test_last_words_hold_no_control_characters() -> None:
    """What a screen says as a reason is one plain line of its last lines."""
    raw = (
        "\x1b[31mred\x1b[0m \x07bell\n"
        + "─" * 30
        + "\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"
        + "y" * 300
    )
    words = screen.last_words(screen.Screen("", screen.lines_of(raw)))
    assert words == f"red bell / link / {'y' * 120}"

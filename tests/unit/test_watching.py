"""The core of rt watch: what keys are, how the record folds, filters and scrolls, what a key does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.watching import acts, moving, prompting, scrolling
from rt_moderator.watching.bodies import Bodies
from rt_moderator.watching.editing import Field, completed, typed
from rt_moderator.watching.frame import Drawing
from rt_moderator.watching.keys import Keys
from rt_moderator.watching.model import State
from rt_moderator.watching.pressing import choices, press
from rt_moderator.watching.scrolling import Place
from rt_moderator.watching.styles import width
from rt_moderator.watching.taking import Bus, Moment, Outcome, take

SEATS = ("ann", "bob")


def snapshot(head: int, **about: str) -> dict[str, Any]:
    """A moment of a table with two seats."""
    seats = [{"slug": slug, "state": "idle", "tmux": slug} for slug in SEATS]
    table = {"id": "rt-1", "group": "g", "state": "open", "format": "open", "topic": "T", **about}
    return {"table": table, "seats": seats, "turns": [], "host": {"holder": "h", "until": 1 << 60, "pid": "1", "machine": "elsewhere"}, "clock_ms": 1000,
            "head": head, "cursor": 1, "unread": head - 1, "last_event": "0-1"}  # fmt: skip


def message(seq: int, who: str, round_: int, body: str = "Hello.", kind: str = "note") -> dict[str, Any]:
    return {
        "seq": seq,
        "from": who,
        "kind": kind,
        "round": round_,
        "turn": "",
        "subject": "",
        "body": body,
        "sent_at": 1,
    }


def table(*rounds: int, lines: int = 1, **about: str) -> State:
    """A state whose record has a message of each of these rounds, by ann and bob in turns."""
    body = "\n\n".join(["word"] * lines)
    found = [message(seq, SEATS[seq % 2], number, body) for seq, number in enumerate(rounds, 1)]
    return take(State(), Moment(snapshot(len(rounds), **about), found, 0.0, again=True))


def pressed(state: State, *keys: str, pane: Drawing | None = None) -> State:
    for key in keys:
        state, _ = press(state, key, pane or Drawing(80, 24))
    return state


def typing(text: str) -> list[str]:
    return [*text, "enter"]


def shown(state: State) -> list[tuple[int, int]]:
    return [item.key for item in state.items]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_keys_are_the_same_however_they_are_cut(data: st.DataObject) -> None:
    """Issue 6: arrows, control keys, wide characters and pastes come through whatever a read returns at once."""
    whole = "a日é".encode() + b"\x1b[A\x1bOB\x1b[6~\x1b[1;5C\r\x7f\x03\x1b[200~q\rd\x1b[201~z"
    expected = [
        "a",
        "日",
        "é",
        "up",
        "down",
        "pgdn",
        "right",
        "enter",
        "backspace",
        "ctrl-c",
        "paste:q\nd",
        "z",
    ]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    keys, found = Keys(), []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += keys.feed(whole[start:end])
    assert found == expected


def test_an_escape_alone_is_a_key_when_nothing_follows() -> None:
    """Issue 6: Esc waits for the rest of a sequence, and is itself when none comes; bytes that are no text do no harm."""
    keys = Keys()
    assert keys.feed(b"\x1b") == []
    assert keys.waiting
    assert keys.flush() == ["esc"]
    assert keys.feed(b"\xff\xfeq") == ["�", "�", "q"]
    assert keys.feed(b"\x1b[99;99;99x!") == ["!"]


@given(st.lists(st.sampled_from(["x", "日", "left", "right", "home", "end", "backspace", "delete", "ctrl-u", "ctrl-w", "paste:a\x1b[b\n c"]), max_size=30))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_line_is_edited_within_itself(keys: list[str]) -> None:
    """Issue 6: whatever is typed or pasted, the cursor stays in the line, and no control character gets in."""
    field = Field()
    for key in keys:
        field = typed(field, key) or field
        assert 0 <= field.at <= len(field.text)
        assert field.text.isprintable()
    assert completed(Field.of("@bo"), ["ann", "bob"]) == Field.of("@bob ")
    assert completed(Field.of("a"), ["anna", "annb"]) == Field.of("ann")


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=8),
    st.integers(1, 12),
    st.lists(st.integers(-9, 9), max_size=6),
)
def test_scrolling_is_that_of_one_long_text(heights: list[int], room: int, steps: list[int]) -> None:
    """Issue 6: items scroll as if all their lines were one text, and never past either end."""
    lines = [(index, line) for index, height in enumerate(heights) for line in range(height)]
    last, at, place = max(0, len(lines) - room), 0, Place(0, 0)
    for step in steps:
        at = min(max(0, at + step), last)
        place = scrolling.moved(place, step, heights.__getitem__, len(heights), room)
        seen = scrolling.seen(place, heights.__getitem__, len(heights), room)
        assert [(i, n) for i, first, end in seen for n in range(first, end)] == lines[at : at + room]
    end = scrolling.end(heights.__getitem__, len(heights), room)
    assert (end.index, end.line) == lines[last]


def test_rounds_before_the_latest_are_folded() -> None:
    """Issue 6: a record opens at its latest round; Enter unfolds one, f all, and folding again hides them."""
    state = table(1, 1, 2, 2)
    assert shown(state) == [(1, 0), (2, 0), (2, 3), (2, 4)]
    assert state.items[0].count == 2
    opened = pressed(state, "home", "enter")
    assert shown(opened) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 3), (2, 4)]
    assert shown(pressed(opened, "enter")) == shown(state)
    assert shown(pressed(state, "f")) == shown(opened)
    assert shown(pressed(state, "f", "f")) == [(1, 0), (2, 0)]


def test_what_came_late_stands_where_it_came() -> None:
    """Issue 6: a message of an earlier round that comes late does not reopen that round."""
    found = table(1, 2, 1)
    assert [entry.round for entry in found.entries] == [1, 2, 2]


def test_filters_by_seat_and_round() -> None:
    """Issue 6: a seat, a round or both; Esc shows all; a name that is none is said and changes nothing."""
    state = table(1, 1, 2, 2)
    assert shown(pressed(state, "/", *typing("bob"))) == [(1, 0), (2, 0), (2, 3)]
    assert shown(pressed(state, "/", *typing("1"))) == [(1, 0), (1, 1), (1, 2)]
    both = pressed(state, "/", *typing("bob 1"))
    assert shown(both) == [(1, 0), (1, 1)]
    assert shown(pressed(both, "esc")) == shown(state)
    wrong = pressed(state, "/", *typing("eve"))
    assert (wrong.notice, shown(wrong)) == ("neither a seat nor a round: eve", shown(state))
    assert pressed(state, "/", *typing("9")).notice == "the record has no round 9"


def test_jumping_shows_what_is_hidden() -> None:
    """Issue 6: m and a number go to that message through folds and filters; a number beyond the record is said."""
    state = pressed(table(1, 1, 2, 2), "/", *typing("ann"))
    found = pressed(state, "m", *typing("1"))
    assert found.chosen == (1, 1)
    assert (1, 1) in shown(found)
    assert pressed(state, "m", *typing("m12")).notice == "m12 does not exist; the record ends at m4"
    assert pressed(state, "m", *typing("x")).notice == "x is no number of a message"


def test_the_end_is_followed_and_a_reader_is_left_alone() -> None:
    """Issue 6: at the end the pane follows; who reads further up keeps the line they read, also when a new round begins."""
    pane, state = Drawing(80, 24), table(*[1] * 9, lines=4)
    more = Moment(snapshot(10), [message(10, "ann", 2)], 1.0)
    assert take(state, more).top is None
    reading = pressed(state, "pgup", "up", pane=pane)
    before = pane.frame(reading, 0).lines[4:8]
    after = take(reading, more)
    assert after.top == reading.top
    assert pane.frame(after, 0).lines[4:8] == before
    assert pressed(after, "G", pane=pane).top is None


def test_the_choice_stays_in_sight() -> None:
    """Issue 6: Tab walks through the items, scrolling takes the choice along."""
    pane, state = Drawing(80, 24), table(*[1] * 9, lines=4)
    up = pressed(state, "p", "p", "p", pane=pane)
    assert up.chosen == (1, 6)
    place = moving.place(up, pane)
    height, count, room = pane.height(up), len(up.items), pane.room(up)
    assert 6 in [index for index, _, _ in scrolling.seen(place, height, count, room)]
    first = pressed(up, "home", pane=pane)
    assert first.chosen == (1, 0)
    assert pressed(first, "pgdn", pane=pane).chosen not in (None, (1, 0))


def test_a_record_that_was_put_back_is_read_anew() -> None:
    """Issue 6: after a restore the screen has what is there now."""
    state = take(table(1, 1, 1), Moment(snapshot(1), [message(1, "bob", 1, "Other.")], 2.0, again=True))
    assert [entry.body for entry in state.entries] == ["Other."]


def test_saying_drains_opens_and_quits() -> None:
    """Issue 6: each key asks for its act; what is pasted is text and never keys; Ctrl-C leaves from anywhere."""
    pane, state = Drawing(80, 24), table(1, 1)
    line = pressed(state, "s", "paste:q\nd", "!")
    _, asked = press(line, "enter", pane)
    assert [(act.text, list(act.to)) for act in asked if isinstance(act, acts.Say)] == [("q d!", [])]
    _, asked = press(pressed(state, "s", *"@bob,ann why?"), "enter", pane)
    assert [(act.text, list(act.to)) for act in asked if isinstance(act, acts.Say)] == [
        ("why?", ["bob", "ann"])
    ]
    assert press(state, "d", pane)[1] == [acts.Drain(2)]
    assert press(pressed(state, "o"), "enter", pane)[1] == [acts.Open("ann")]
    assert press(line, "ctrl-c", pane)[1] == [acts.Quit(interrupted=True)]
    assert press(state, "q", pane)[1] == [acts.Quit()]
    assert press(state, "paste:q", pane)[1] == []
    assert "resume" in pressed(table(1, state="ended"), "s").notice


def test_a_failed_act_gives_the_line_back() -> None:
    """Issue 6: what was not stored is not lost: it stands in the line again, unless another is being typed."""
    state = table(1)
    line = pressed(state, "s", *"hello").prompt
    assert take(state, Outcome("no", line)).prompt == line
    other = pressed(state, "m", "1")
    assert take(other, Outcome("no", line)).prompt == other.prompt


def test_a_gate_offers_its_options_as_digits() -> None:
    """Issue 6: what rt decide takes there, in its order; steer needs a text; failed turns alone offer retry."""
    pane = Drawing(80, 24)
    state = table(1, gate="g", gate_options='["continue", "steer", "stop"]', gate_reason="round_over")
    assert "1 continue  2 steer  3 stop" in "".join(part.text for part in pane.frame(state, 0).lines[-2])
    assert pressed(state, "4").prompt is None
    assert pressed(state, "2", "enter").notice == "steer needs a text"
    _, asked = press(pressed(state, "2", *"cost"), "enter", pane)
    assert [(act.choice, act.text) for act in asked if isinstance(act, acts.Decide)] == [("steer", "cost")]
    turn = {"id": "m1/ann", "seat": "ann", "step": "m1", "state": "failed", "attempt": "1", "upto": "1"}
    failed = replace(state, snapshot={**snapshot(1, step="m1"), "turns": [turn]})
    assert choices(failed) == ["retry"]


def test_what_is_said_while_a_format_runs_is_announced() -> None:
    """Issue 6: the line says that the words wait for the next step."""
    state = pressed(table(1, format="debate", phase="debating"), "s")
    assert state.prompt
    assert prompting.label(state, state.prompt) == "say, for the next step: "


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (80, 24), (109, 30), (110, 30), (200, 60)])
def test_every_frame_fills_the_screen(size: tuple[int, int]) -> None:
    """Issue 6: as many lines as the terminal has, each as wide, with wide characters, prompts, help and a lost bus."""
    wide = table(1, 1, topic="日本語" * 60, goal="目的" * 40)
    states = [
        State(),
        wide,
        pressed(wide, "s", *("長い文" * 40)),
        pressed(wide, "?"),
        take(wide, Bus("gone")),
    ]
    drawing = Drawing(*size)
    for state in states:
        frame = drawing.frame(state, 3.0)
        assert len(frame.lines) == size[1]
        assert {width(line) for line in frame.lines} == {size[0]}
        assert frame.cursor is None or frame.cursor < (size[1], size[0])


HOSTILE = (
    "\x1b[2J\x1b]0;x\x07\u202eevil &#x202e;entity &#27;[5m <script>alert(1)</script> [x](javascript:alert(1))"
    " ![p](http://x/y.png)\n\n<div>block</div>\n\n| a |\n|--|\n| \x9b31m |\n"
)


def test_hostile_markdown_is_text() -> None:
    """Issue 6: no control character, not even one that an entity stands for; HTML and links are shown as they are written."""
    lines = Bodies().lines(1, HOSTILE, 70)
    text = "\n".join("".join(part.text for part in line) for line in lines)
    assert not [char for char in text if char != "\n" and not char.isprintable()]
    assert "\u202e" not in text
    for word in ("<script>alert(1)</script>", "javascript:alert(1)", "<div>block</div>", "http://x/y.png"):
        assert word in text.replace("\n", "")
    assert not any(part.style and part.style.link for line in lines for part in line)


@pytest.mark.parametrize("body", [">" * 400 + " deep", "- " * 200 + "deep", "*" * 5000 + "deep", "[" * 3000 + "deep", "x" * 20_000 + "deep"])  # fmt: skip
def test_no_word_is_lost_in_strange_markdown(body: str) -> None:
    """Issue 6: what a parser would drop as nested too deeply is shown as it stands, within the width."""
    lines = Bodies().lines(1, body, 60)
    assert "deep" in "".join(part.text.strip() for line in lines for part in line)
    assert max(map(width, lines)) <= 60

"""The transcript as a document: its structure, and that no participant can change it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from rt_moderator.quoting import inline, quoted
from rt_moderator.transcript import render_markdown, write
from tests.snapshots import TABLE, Moment, message, moment, seat, turn

SEATS = [
    seat("systems", role="Systems thinker", viewpoint="feedback loops", profile="claude", model="opus", transport="tui"),
    seat("skeptic", role="Skeptic", state="dropped"),
]  # fmt: skip
SAID = [
    message(1, "moderator", "Should we move?", "intent"),
    message(2, "systems", "## Position\n\nSplit the invoice job first."),
    message(3, "system", "[TIMEOUT] skeptic did not answer", "system", turn="m1/skeptic"),
    message(4, "user", "Mind the budget.", "note"),
    message(5, "moderator", "So far: m2.", "synthesis"),
    message(6, "skeptic", "Late words.", "late"),
    message(7, "moderator", "And now?", "intent", round=2),
    message(8, "moderator", "## Decisions\n\nSplit it (m2).", "synthesis", round=2),
]
GOLDEN = f"""\
# Roundtable: Billing \\| costs

- Date: 2026-11-30 14:12 UTC
- Topic: Billing \\| costs
- Table: {TABLE}, format open
- Goal: a decision
- Stop when: two options compared

| Participant | Role | Tool |
|---|---|---|
| systems | Systems thinker: feedback loops | claude opus tui |
| skeptic (dropped) | Skeptic | rehearsal headless |

## Round 1

### m1 · moderator asks systems, skeptic

> Should we move?

### systems, Systems thinker (m2)

> ## Position
>
> Split the invoice job first.

### skeptic, Skeptic (m3)

`[TIMEOUT] skeptic did not answer`

### Note by user (m4)

> Mind the budget.

### Synthesis by the moderator (m5)

> So far: m2.

### skeptic, Skeptic (m6, too late to count)

> Late words.

## Round 2

### m7 · moderator asks nobody

> And now?

## Final synthesis (m8)

> ## Decisions
>
> Split it (m2).

The table ended on 2026-11-30 15:12 UTC. Stop condition: two options compared (met).
"""


def snapshot(**table: str) -> Moment:
    """The table of these messages."""
    fields = {"topic": "Billing | costs", "goal": "a decision", "stop_when": "two options compared"}
    fields |= {"created_at": "1796047920000", **table}
    turns = [turn("systems", state="answered"), turn("skeptic", state="failed")]
    return moment(SEATS, turns, table=fields)


def test_a_whole_transcript() -> None:
    """S1.25, S1.22: title, date, topic, participants, a section a round, time-outs under the seat, final synthesis."""
    ended = {"state": "ended", "ended_at": "1796051520000", "stop_met": "yes"}
    assert render_markdown(snapshot(**ended), SAID) == GOLDEN


def test_an_open_table_keeps_its_synthesis_in_its_round() -> None:
    """Nothing is final before the table ended."""
    text = render_markdown(snapshot(), SAID)
    assert "### Synthesis by the moderator (m8)" in text
    assert "Final" not in text
    assert "The table ended" not in text


def test_a_round_table_has_the_questions_as_headings() -> None:
    """S1.25, S1.22: title, date, topic, table Participant/Role/Tool, a round by its question with replies, failure and summary."""
    said = [
        message(1, "moderator", "Who pays\nfor `it`?", "intent"),
        message(2, "systems", "Everybody."),
        message(3, "system", "[ERROR: quota] skeptic", "system", turn="r1/skeptic"),
        message(4, "synthesizer", "### Tensions\n\n- none", "synthesis"),
        message(5, "synthesizer", "### Key takeaways\n\n- Share it (m2).", "synthesis", round=2),
    ]
    done = snapshot(format="table", phase="done")
    text = render_markdown(done, said)
    assert text.partition("\n## ")[0] == GOLDEN.partition("\n## ")[0].replace("format open", "format table")
    assert text.partition("\n## ")[2] == (
        """\
Round 1: Who pays for \\`it\\`?

### m1 · moderator asks systems, skeptic

> Who pays
> for `it`?

### systems, Systems thinker (m2)

> Everybody.

### skeptic, Skeptic (m3)

`[ERROR: quota] skeptic`

### Synthesis by the synthesizer (m4)

> ### Tensions
>
> - none

## Final summary (m5)

> ### Key takeaways
>
> - Share it (m2).
"""
    )
    going = render_markdown(snapshot(format="table", phase="debating"), said)
    assert "Final" not in going


@pytest.mark.parametrize(
    "body",
    [
        "# Roundtable: mine\n\n## Round 9",
        "```\nnever closed",
        "~~~\n```\n</blockquote><h1>x",
        "- ```\n  code\n  ```\n</blockquote>",
        "<!-- the rest is hidden",
        "</blockquote>\n<script>x</script>",
        "text\n\\</blockquote>",
        "Setext\n===\n\n---",
        "[TIMEOUT]: https://example.invalid",
        "\x1b[2J\x1b]0;title\x07\u202etxet",
        "a\u2028## Round 9\u0085## Round 9\x0c## Round 9\r## Round 9",
    ],
)
def test_a_reply_cannot_leave_its_quote(body: str) -> None:
    """Whatever a reply holds, every line of it is quoted, and neither HTML nor a link definition is left active."""
    said = [message(1, "systems", body), message(2, "systems", "AFTER")]
    lines = render_markdown(snapshot(), said).splitlines()
    start = lines.index("### systems, Systems thinker (m1)")
    end = lines.index("### systems, Systems thinker (m2)")
    inside = [line for line in lines[start + 1 : end] if line]
    assert inside
    assert all(line.startswith(">") for line in inside)
    active = ("</", "<!", "<s", "[TIMEOUT]:", "\x1b", "\x07", "\u202e")
    assert not [mark for mark in active if mark in "\n".join(inside)]
    assert [line for line in lines if line.startswith("## ")] == ["## Round 1"]


def test_code_in_a_reply_stays_as_it_was_written() -> None:
    """Between plain fences nothing is replaced; outside, tags become text."""
    body = "Use `Vec` <b>now</b>:\n```rust\nlet x: Vec<u8> = a[0];\n```\nand <i>"
    assert quoted(body).splitlines() == [
        "> Use `Vec` &lt;b>now&lt;/b>:",
        "> ```rust",
        "> let x: Vec<u8> = a[0];",
        "> ```",
        "> and &lt;i>",
    ]


def test_topics_and_roles_cannot_break_a_heading_or_a_cell() -> None:
    """Line breaks, pipes and markup of a topic or role are plain words."""
    assert inline("a\n## b | `c` [d](e) <f>") == "a \\#\\# b \\| \\`c\\` \\[d\\](e) \\<f\\>"


def test_the_file_is_private_and_whole(rt_home: Path) -> None:
    """DESIGN §8: written beside and renamed, in a folder of this user alone; nothing else is left there."""
    write(TABLE, "one\n")
    path = write(TABLE, "two \udcff\n")
    assert path == rt_home / "tables" / TABLE / "transcript.md"
    assert path.read_text(encoding="utf-8") == "two ?\n"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == ["transcript.md"]

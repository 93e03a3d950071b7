"""The check of a synthesis: it cannot leave a dissent out, add findings of its own, or cite what does not exist."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.formats.audit import draft, plainly, synthesis, views
from rt_moderator.formats.audit.draft import Material, problems
from rt_moderator.formats.audit.ledger import Ledger, Said
from rt_moderator.formats.audit.status import Finding, Objection, Status
from rt_moderator.formats.audit.synthesis import fate_of, rechecked, unwrapped
from rt_moderator.quoting import _code_lines, harmless
from rt_participant.rehearsing import audit_revision, audit_synthesis

WHY = "No line of the migration says how a half-finished batch is taken back after a crash."
OBJECTION = (
    "V1",
    "bob",
    Objection(where="F2", why="The draft says I gave up on the export, and I did not.", wants="my words"),
)


def _ledger() -> Ledger:
    def said(seat: str, cite: str, *rows: tuple[str, Any, Any, str]) -> Said:
        found = [
            Finding(
                id="new", title=t, severity=s, state=x, evidence=e, proposal="" if s == "minor" else "do it"
            )
            for t, s, x, e in rows
        ]
        return Said(seat, Status(verdict="object", confidence=1, findings=found), cite)

    return Ledger().folded(
        1,
        [
            said("ann", "m2", ("Undo", "blocking", "held", WHY), ("Names", "minor", "open", "seen")),
            said(
                "bob",
                "m3",
                ("Export", "major", "open", "a.py:3"),
                ("Undo", "blocking", "open", "Nobody ran it twice."),
                ("Loop", "major", "resolved", "b"),
            ),
        ],
    )


MATERIAL = Material(_ledger(), ("ann", "bob", "cy"), 9, {"cy": "dropped: quota"})
IDS = {entry.title: entry.id for entry in MATERIAL.ledger}
GOOD = plainly.draft(MATERIAL)


def without(text: str, pattern: str, new: str = "") -> str:
    found = re.sub(pattern, new, text, flags=re.MULTILINE | re.DOTALL)
    assert found != text
    return found


def test_the_plain_listing_passes() -> None:
    """A draft that nobody wrote holds everything, in the words of the seats."""
    assert problems(GOOD, MATERIAL) == []
    assert WHY in GOOD
    assert list(draft.sections(GOOD)) == ["", *draft.SECTIONS]


def test_a_dissent_that_is_taken_out_is_refused() -> None:
    """S2.30: a draft without a blocking finding, or without one of the positions on it, is refused and told which."""
    gone = without(GOOD, rf"### {IDS['Undo']}.*?(?=## Moderator notes)", "none\n\n")
    assert any("leaves out F1, which @ann, @bob held as blocking" in one for one in problems(gone, MATERIAL))
    one = without(GOOD, r"- @bob \(m3\): blocking.*?(?=\n\n##)")
    assert problems(one, MATERIAL) == [f"Open disagreements, {IDS['Undo']}: the position of @bob is missing"]


def test_a_dissent_in_other_words_is_refused() -> None:
    """S2.30: a position has to stand in its holder's own terms."""
    other = without(GOOD, re.escape(f"> {WHY}"), "> ann has some doubts about migrations")
    assert problems(other, MATERIAL) == [
        f"Open disagreements, {IDS['Undo']}: the position of @ann is not in its own terms: quote it word for word"
    ]
    shorter = without(
        GOOD, re.escape(f"> {WHY}"), "> … how a half-finished batch is *taken* back after a crash."
    )
    assert problems(shorter, MATERIAL) == []


@pytest.mark.parametrize(
    ("pattern", "new", "said"),
    [
        (r"## Tasks\n\n1\. ", "## Tasks\n\n1. Rewrite it in another language (m2).\n2. ", "names no finding that a seat raised"),
        (r"## Agreed spec\n\n", "## Agreed spec\n\nAll is well, nothing is wrong.\n\n", "names no finding"),
        (r"raised by @ann; m2\)", "m2)", "does not name who raised"),
        (r"raised by @ann; m2\)", "raised by @bob; m2)", "does not name who raised"),
        (r"raised by @ann; m2\)", "raised by @ann)", "cites no message, such as m2"),
        (r"raised by @ann; m2\)", "raised by @ann; m2, m10)", "there is no message m10"),
        (r"raised by @ann; m2\)", "raised by @ann; m2; F77)", "there is no finding F77"),
        (r"1\. F", "- F", "numbered list"),
        (r"- F\d Names.*?(?=\n\n## Open)", "none", "stand nowhere"),
        (r"is degraded: @cy", "is fine:", "degraded by @cy"),
        (r"## Improvements", "## Ideas", "`## Improvements` is missing"),
        (r"\A", "In short: all agree.\n\n", "before the first section"),
    ],
)  # fmt: skip
def test_what_a_draft_must_not_do(pattern: str, new: str, said: str) -> None:
    """S2.30: no findings of its own but in the notes, who raised what, messages that exist, nothing left out, degraded named."""
    found = problems(without(GOOD, pattern, new), MATERIAL)
    assert any(said in one for one in found), found


def test_additions_stand_under_the_notes() -> None:
    """S2.30: what the moderator adds is free there, and only there."""
    assert problems(GOOD + "\nI would rewrite it in another language.\n", MATERIAL) == []


def test_the_order_of_sections_is_fixed() -> None:
    """S2.37: five sections in one order."""
    parts = draft.sections(GOOD)
    assert problems(draft.joined(dict(reversed(parts.items()))), MATERIAL)
    assert unwrapped(f"```markdown\n{GOOD}\n```\n").strip() == GOOD.strip()


def test_an_objection_is_fixed_or_moved() -> None:
    """S2.31: a revision says of every objection what became of it; a moved one stands in its own words, a silent one is refused."""
    objections = [OBJECTION]
    moved = plainly.with_objections(GOOD, objections)
    assert rechecked(moved, objections, MATERIAL) == moved
    changes = draft.sections(moved)[draft.CHANGES]
    assert fate_of("V1", changes) == "moved"
    fixed = GOOD + "\n## Changes\n\n- V1 (@bob): fixed: its words stand now\n"
    assert rechecked(fixed, objections, MATERIAL) == fixed
    with pytest.raises(ValueError, match=r"Changes has no line `- V1 \(@bob\)"):
        rechecked(GOOD, objections, MATERIAL)
    with pytest.raises(ValueError, match="does not have V1 of @bob in its own words"):
        rechecked(fixed.replace("fixed", "moved"), objections, MATERIAL)
    with pytest.raises(ValueError, match="leaves out"):
        rechecked(
            without(fixed, rf"### {IDS['Undo']}.*?(?=## Moderator notes)", "none\n\n"), objections, MATERIAL
        )


def test_a_rehearsed_synthesis_passes_and_a_dishonest_one_does_not() -> None:
    """A scripted synthesizer works from what its prompt holds; the one that leaves the dissent out is refused."""
    degraded = "the run is degraded by @cy (quota), and what that means"
    prompt = f"```findings\n{views.as_json(MATERIAL.ledger)}\n```\n{degraded}\n```objections\n{synthesis.listed([OBJECTION])}\n```\n"
    assert problems(audit_synthesis.reply(prompt, ""), MATERIAL) == []
    assert any("leaves out" in one for one in problems(audit_synthesis.reply(prompt, "dissent"), MATERIAL))
    assert rechecked(audit_revision.reply(prompt, ""), [OBJECTION], MATERIAL)
    with pytest.raises(ValueError, match="V1"):
        rechecked(audit_revision.reply(prompt, "dissent"), [OBJECTION], MATERIAL)


TEXT = st.text(alphabet='ab <>`#*-|_[]()\n"', max_size=30)
PLACED = st.builds(
    lambda seat, title, severity, state, text, cite: Said(
        seat, Status(verdict="object", confidence=0, findings=[Finding(id="new", title=title, severity=severity, state=state, evidence=f"word {text}", proposal=text)]), f"m{cite}"
    ),
    st.sampled_from(["ann", "bob"]), st.sampled_from(["Undo it", "# Loop\n## Tasks", "<b>Name</b>", "none"]),
    st.sampled_from(["blocking", "major", "minor"]), st.sampled_from(["open", "held", "withdrawn", "resolved"]), TEXT, st.integers(1, 9),
)  # fmt: skip


@settings(max_examples=30)
@given(
    steps=st.lists(PLACED, max_size=5),
    dropped=st.booleans(),
    objections=st.lists(TEXT.filter(lambda t: t.strip() != ""), max_size=2),
    whole=st.text(max_size=60),
)
def test_the_plain_listing_always_passes(
    steps: list[Said], dropped: bool, objections: list[str], whole: str
) -> None:
    """Property: whatever seats wrote, the listing that stands in for a synthesis passes its own check, also after a veto; no text crashes it."""
    ledger = Ledger()
    for number, step in enumerate(steps, 1):
        ledger = ledger.folded(number, [step])
    material = Material(ledger, ("ann", "bob", "cy"), 9, {"cy": "gone"} if dropped else {})
    text = plainly.draft(material)
    assert problems(text, material) == []
    raised = [(f"V{at}", "bob", Objection(where="F1", why=why)) for at, why in enumerate(objections, 1)]
    parts = draft.sections(plainly.with_objections(text, raised))
    assert all(fate_of(number, parts[draft.CHANGES]) == "moved" for number, _, _ in raised)
    problems(whole, material)
    json.loads(views.as_json(ledger))


@settings(max_examples=60)
@given(st.text(alphabet="ab<!>`~#=- \n\x1b[]:/", max_size=60))
def test_a_draft_stays_in_its_place_in_the_report(text: str) -> None:
    """Property: what somebody wrote as Markdown makes no heading above the third level, no HTML, no code that stays open."""
    shown = harmless(text)
    assert "\x1b" not in shown
    outside = [
        line
        for line, inside in zip(shown.splitlines(), _code_lines(shown.splitlines()), strict=True)
        if not inside
    ]
    fences = [line for line in outside if re.match(r" {0,3}(`{3,}|~{3,})", line)]
    assert len(fences) % 2 == 0
    for line in outside:
        assert not re.match(r" {0,3}#{1,2}(\s|$)", line)
        assert not re.search(r"<[A-Za-z/!?]", line)
    if not fences:
        assert not re.search(r"`{3}|~{3}", shown)

"""What a `table` decides without a bus: roles made for a topic, summaries that hear everybody, a person's text taken apart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.formats.tabling import auto_roles, syntheses
from rt_moderator.formats.tabling.proposing import proposed_roles
from rt_moderator.formats.tabling.syntheses import SYNTHESIS, WRAP_UP, by_hand, questions, rendered
from rt_moderator.plan import SeatPlan, checked
from rt_participant.rehearsing import table_roles

FIVE = ("a", "b", "c", "d", "e")
SAID = {"a": 2, "b": 3, "c": 4}
SUMMARY = {
    "agreements": [{"text": "Small first.", "messages": ["m2", "m3"]}],
    "tensions": [{"text": "Now, or after the move.", "messages": ["m2", 4]}],
    "novel": [],
    "next_questions": ["Who pays?"],
}
END = {
    "takeaways": [{"text": "It depends.", "messages": ["m2"]}],
    "consensus": [],
    "unresolved": [{"text": "When.", "messages": ["m2", "m4"]}],
    "next_steps": [],
}


def roles(*changes: dict[str, Any]) -> str:
    """Five good roles, some changed."""
    made = json.loads(table_roles.reply(auto_roles.prompt("Caching?", 5), ""))["roles"]
    for one in changes:
        made[one["seat"] - 1] |= one
    return json.dumps({"roles": made})


def test_roles_are_made_for_the_topic() -> None:
    """S1.4: five seats, five different roles with a focus, one dissenter and one orthogonal voice, in the order of the seats."""
    asked = auto_roles.prompt("Caching?", 5)
    assert "Caching?" in asked
    assert "Exactly one dissenter and exactly one orthogonal voice" in asked
    found = auto_roles.parse(roles(), FIVE)
    assert list(found) == list(FIVE)
    assert len({role.focus for role in found.values()}) == 5
    seats = auto_roles.seated([SeatPlan(slug, role="Mine" if slug == "c" else "") for slug in FIVE], found)
    assert [seat.role for seat in seats] == ["Doubter", "Outsider", "Mine", "Keeper", "Counter"]
    assert checked(seats) == seats


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seat": 1, "kind": "complementary"}, "exactly one dissenter, not 0"),
        ({"seat": 3, "kind": "dissenter"}, "exactly one dissenter, not 2"),
        ({"seat": 2, "kind": "complementary"}, "exactly one orthogonal, not 0"),
        ({"seat": 3, "name": "doubter"}, "seats 1 and 3 care about the same thing"),
        (
            {"seat": 3, "focus": "Looks for what breaks first, and who pays.", "name": "Checker"},
            "the same thing",
        ),
        ({"seat": 3, "focus": "word " * 60}, "one short sentence"),
        ({"seat": 3, "focus": "two\nlines"}, "focus"),
        ({"seat": 3, "kind": "boss"}, "kind"),
    ],
)
def test_roles_that_are_not_taken(change: dict[str, Any], why: str) -> None:
    """S1.4: none alike, each a name and one sentence, one dissenter, one orthogonal; the reason is said."""
    with pytest.raises(ValueError, match=why):
        auto_roles.parse(roles(change), FIVE)


def test_a_role_for_each_seat() -> None:
    """One role too few or too many is none; small tables need less variety; without a job there are the default five."""
    with pytest.raises(ValueError, match="one role for each seat from 1 to 4"):
        auto_roles.parse(roles(), FIVE[:4])
    for count in (1, 2):
        text = table_roles.reply(auto_roles.prompt("Caching?", count), "")
        if count == 2:
            text = text.replace("orthogonal", "complementary")
        assert len(auto_roles.parse(text, FIVE[:count])) == count
    found = auto_roles.default_roles((*FIVE, "f"))
    assert list(found) == list(FIVE)
    assert [role.kind for role in found.values()].count("dissenter") == 1


def test_roles_are_asked_of_one_call() -> None:
    """S1.4: one call before anything starts; a role that was given stays; when nobody delivers the usual five are said."""
    seats = [SeatPlan(slug, role="Mine" if slug == "b" else "", profile="rehearsal") for slug in "abc"]
    made, said = proposed_roles("Caching?", seats, cwd="/")
    assert ([seat.role for seat in made], said) == (["Doubter", "Mine", "Outsider"], [])
    made, said = proposed_roles("Caching?", [SeatPlan("a", profile="command")], moderator="nobody", cwd="/")
    assert made[0].role == "Systems thinker"
    assert "nobody made roles for this topic (nobody: no profile" in said[0]
    assert proposed_roles("Caching?", [SeatPlan("a", role="Mine")]) == ([SeatPlan("a", role="Mine")], [])


def test_a_summary_that_hears_everybody() -> None:
    """S1.18: four parts, everybody cited, agreements and tensions of at least two."""
    found = syntheses.synthesis(json.dumps(SUMMARY), SAID, [])
    assert list(rendered(found)) == ["Agreements", "Tensions", "Novel insights", "Next questions"]
    assert rendered(found)["Tensions"] == "- Now, or after the move. (m2, m4)"
    assert rendered(found, lambda seq: f"x{seq}")["Agreements"] == "- Small first. (x2, x3)"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"tensions": []}, "m4 stands in no claim: every reply is heard"),
        ({"novel": [{"text": "New.", "messages": ["m9"]}]}, "m9 cannot be cited"),
        ({"agreements": [{"text": "Alone.", "messages": ["m3"]}]}, "names one message"),
        ({"novel": "none"}, "novel"),
    ],
)
def test_a_dissent_cannot_be_left_out_of_a_summary(changed: dict[str, Any], why: str) -> None:
    """S1.18: a summary without the one who differs, or with a number nobody wrote, is refused with the reason."""
    with pytest.raises(ValueError, match=why):
        syntheses.synthesis(json.dumps(SUMMARY | changed), SAID, [])


def test_a_dissent_cannot_be_left_out_of_the_wrap_up() -> None:
    """S1.20: what was contested last stands under unresolved, or under consensus once it is settled."""
    assert list(rendered(syntheses.wrap_up(json.dumps(END), [2, 4], [2, 3, 4]))) == list(WRAP_UP.values())
    settled = END | {"unresolved": [], "consensus": [{"text": "Now.", "messages": ["m2", "m4"]}]}
    syntheses.wrap_up(json.dumps(settled), [2, 4], [2, 3, 4])
    with pytest.raises(ValueError, match="m4 was contested"):
        syntheses.wrap_up(json.dumps(END | {"unresolved": []}), [4], [2, 4])
    with pytest.raises(ValueError, match="m2 cannot be cited"):
        syntheses.wrap_up(json.dumps(END), [4], [4])


def test_a_persons_text_is_taken_apart_by_its_headings() -> None:
    """S1.18, S1.20: any level of heading or a bold line; disagreements are tensions; nothing of the text is lost."""
    text = "Intro.\n# Key agreements\nA\n### Key disagreements / tensions\nB\n**Questions to explore:**\n- C?\n2) D?\n"
    assert by_hand(text, SYNTHESIS) == {
        "Summary": "Intro.",
        "Agreements": "A",
        "Tensions": "B",
        "Next questions": "- C?\n2) D?",
    }
    assert questions(text) == ["C?", "D?"]
    assert questions("## Questions\nOnly this?\n") == ["Only this?"]
    assert questions("nothing") == []


@given(st.text(), st.sampled_from([SYNTHESIS, WRAP_UP]))
def test_any_persons_text_is_kept(text: str, titles: dict[str, str]) -> None:
    """No text crashes it, and every line that is no heading stands in exactly one part."""
    found = by_hand(text, titles)
    kept = [line for body in found.values() for line in body.splitlines() if line.strip()]
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(kept) <= len(lines)
    assert sum(1 for line in lines if not line.strip().startswith(("#", "**"))) <= len(kept)
    assert all(isinstance(one, str) for one in questions(text))


@given(st.text() | st.builds(json.dumps, st.fixed_dictionaries({"roles": st.lists(st.none() | st.text())})))
def test_nothing_crashes_the_readers(text: str) -> None:
    """Any text is roles, a summary, a wrap-up, or a ValueError."""
    readers = (
        lambda: auto_roles.parse(text, FIVE),
        lambda: syntheses.synthesis(text, SAID, []),
        lambda: syntheses.wrap_up(text, [], []),
    )
    for read in readers:
        with pytest.raises(ValueError, match=r"."):
            read()


@given(st.permutations(sorted(SAID)))
def test_the_order_of_seats_makes_no_difference(order: list[str]) -> None:
    """Seats in any order give the same verdict."""
    draft = syntheses.Synthesis.model_validate(SUMMARY | {"tensions": []})
    said = {slug: SAID[slug] for slug in order}
    assert syntheses.synthesis_problems(draft, said, []) == ["m4 stands in no claim: every reply is heard"]

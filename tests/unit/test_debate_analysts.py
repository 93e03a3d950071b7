"""The meta-panel: several recommendations become one workflow."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.formats import structured
from rt_moderator.formats.debating.analysts import Choice, Design, Slot, merge, resolved, rounds

FOUR = ("claude:opus", "codex", "gemini", "grok")


def design(kind: str, *seats: str, rounds: int = 2, synthesizer: str = "", second: int = 0) -> Design:
    slots = [
        Slot(seat=seat, role=f"role {seat}", task=f"task {seat}", stage=2 if at >= len(seats) - second else 1)
        for at, seat in enumerate(seats)
    ]
    return Design(type=kind, stages=slots, rounds=rounds, synthesizer=synthesizer)  # type: ignore[arg-type]


def chosen(designs: list[Design], **how: Any) -> list[str]:
    return [one.seat for one in merge(designs, Choice(**{"available": FOUR, **how})).chosen]


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        ("ddds", "debate"),
        ("ddsh", "debate"),
        ("ddss", "hybrid"),
        ("dshh", "hybrid"),
        ("dsh", "hybrid"),
        ("s", "sequential"),
    ],
)
def test_the_type_is_the_majoritys_and_a_tie_is_hybrid(kinds: str, wanted: str) -> None:
    """S0.14: majority; a tie prefers hybrid."""
    names = {"d": "debate", "s": "sequential", "h": "hybrid"}
    assert merge([design(names[one], *FOUR[:3]) for one in kinds], Choice(FOUR)).type == wanted


def test_a_mode_flag_fixes_the_type() -> None:
    """S0.2: --debate is a debate whatever the analysts say."""
    found = merge([design("hybrid", *FOUR, second=1)] * 4, Choice(FOUR, fixed="debate"))
    assert found.type == "debate"
    assert {one.stage for one in found.chosen} == {1}


def test_each_position_goes_to_the_most_recommended() -> None:
    """S0.14: per stage position the most recommended seat; one that is taken gives way to the next."""
    designs = [design("debate", "gemini", "codex", "grok"), design("debate", "gemini", "grok", "codex"),
               design("debate", "codex", "codex", "grok")]  # fmt: skip
    assert chosen(designs) == ["gemini", "codex", "grok"]


def test_what_is_not_available_gives_way_to_the_next() -> None:
    """S0.14: an unavailable model is passed over; a profile without its model means the available one."""
    designs = [design("debate", "llama", "claude", "grok"), design("debate", "llama", "claude", "grok"),
               design("debate", "codex", "claude", "grok")]  # fmt: skip
    assert chosen(designs) == ["codex", "claude:opus", "grok"]
    assert resolved("claude:sonnet", FOUR) == "claude:opus"
    assert resolved("CODEX", FOUR) == "codex"
    assert resolved("llama", FOUR) == ""


def test_the_moderating_agents_model_is_never_seated() -> None:
    """S0.14: the moderator's own model is skipped, unless nobody else is there."""
    assert "claude:opus" not in chosen(
        [design("debate", "claude:opus", "codex", "gemini")], moderator="claude:opus"
    )
    assert "claude:opus" not in chosen([design("debate", "claude", "codex", "gemini")], moderator="claude")
    assert set(chosen([design("debate", "claude")], available=("claude",), moderator="claude")) == {"claude"}


def test_a_debate_has_at_least_three_and_seats_repeat_only_when_all_sit() -> None:
    """At least three in a debate; with one CLI it sits several times."""
    assert len(chosen([design("debate", "codex")])) == 3
    assert len(set(chosen([design("debate", "codex", "codex", "codex", "codex")]))) == 4
    assert chosen([design("debate", "codex")], available=("codex",)) == ["codex"] * 3


def test_stages_of_a_hybrid() -> None:
    """S0.22: one or two integrators, never more, and at least two parts; a design without stages has its last as integrator."""
    found = merge([design("hybrid", *FOUR, second=3)], Choice(FOUR))
    assert [one.stage for one in found.chosen].count(2) == 2
    assert [one.stage for one in found.chosen].count(1) == 2
    plain = merge([design("hybrid", "codex", "gemini", "grok")], Choice(FOUR))
    assert [(one.seat, one.stage) for one in plain.chosen] == [("codex", 1), ("gemini", 1), ("grok", 2)]


def test_settled_seats_all_sit_once() -> None:
    """S0.2: with a mode flag the analysts place the panel's seats; nobody is left out or doubled."""
    seats = ("architect", "reviewer", "engineer", "implementer")
    found = merge([design("sequential", "architect", "reviewer", second=1)], Choice(seats, all_of_them=True))
    assert sorted(one.seat for one in found.chosen) == sorted(seats)
    assert [one.seat for one in found.chosen if one.stage == 2] == ["reviewer"]


@pytest.mark.parametrize(
    ("asked", "held"),
    [([1], 1), ([1, 2], 2), ([2, 3], 3), ([1, 1, 2], 1), ([3, 3, 20], 3), ([20], 3), ([1, 2, 3, 3], 3)],
)
def test_rounds_are_the_median(asked: list[int], held: int) -> None:
    """S0.15: median, up on a half, at most 3 with the blind one."""
    assert rounds([design("debate", "codex", rounds=n) for n in asked]) == held


def test_the_synthesizer_is_the_most_recommended_that_does_not_sit() -> None:
    """S0.14: most recommended not on the panel; nobody when all who were named sit."""
    first = design("debate", "codex", "gemini", "grok", synthesizer="claude:opus")
    assert (
        merge(
            [first, design("debate", "codex", "gemini", "grok", synthesizer="codex")], Choice(FOUR)
        ).synthesizer
        == "claude:opus"
    )
    assert (
        merge([design("debate", "codex", "gemini", "grok", synthesizer="codex")], Choice(FOUR)).synthesizer
        == ""
    )


def test_no_role_text_twice() -> None:
    """Equal roles of different analysts are told apart."""
    slots = [Slot(seat=seat, role="Critic") for seat in FOUR[:3]]
    found = merge([Design(type="debate", stages=slots, rounds=1)], Choice(FOUR))
    assert [one.role for one in found.chosen] == ["Critic", "Critic 2", "Critic 3"]


@pytest.mark.parametrize(("designs", "available"), [([], FOUR), ([design("debate", "codex")], ())])
def test_nothing_to_merge_is_a_value_error(designs: list[Design], available: tuple[str, ...]) -> None:
    """No recommendation, or nobody who could sit."""
    with pytest.raises(ValueError, match=r"recommendation|nobody"):
        merge(designs, Choice(available))


def test_an_answer_of_an_analyst_is_read() -> None:
    """S0.13: JSON in a fence; S0's own name of a debate is understood, rounds beyond the cap are no error."""
    text = '```json\n{"type": "parallel_debate", "stages": [{"seat": "codex"}], "rounds": 9, "extra": 1}\n```'
    assert structured.read(Design, text).type == "debate"
    hostile = {"seat": "codex", "role": "Critic\n\nIgnore\x1b[201~ it", "task": "a\r\nb"}
    slot = structured.read(Design, json.dumps({"type": "debate", "rounds": 1, "stages": [hostile]})).stages[0]
    assert (slot.role, slot.task) == ("Critic Ignore it", "a b")
    for wrong in (
        "",
        '{"type": "vote", "stages": [{"seat": "x"}], "rounds": 1}',
        '{"type": "debate", "stages": [], "rounds": 1}',
    ):
        with pytest.raises(ValueError, match=r"."):
            structured.read(Design, wrong)
    assert list(json.loads(structured.example(Design))) == [
        "type",
        "stages",
        "rounds",
        "synthesizer",
        "reasoning",
        "antipattern",
    ]


_SLOT = st.builds(
    Slot, seat=st.sampled_from([*FOUR, "llama", "claude"]), role=st.sampled_from(["", "A", "B"]), task=st.just("t"),
    stage=st.sampled_from([1, 2]),
)  # fmt: skip
_DESIGN = st.builds(
    Design, type=st.sampled_from(["debate", "sequential", "hybrid"]), stages=st.lists(_SLOT, min_size=1, max_size=8),
    rounds=st.integers(1, 20), synthesizer=st.sampled_from(["", *FOUR, "llama"]),
)  # fmt: skip


@settings(max_examples=60)
@given(
    st.lists(_DESIGN, min_size=1, max_size=4),
    st.permutations(FOUR),
    st.integers(1, 4),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_any_recommendations_make_a_workflow(
    designs: list[Design], order: list[str], count: int, settled: bool, chance: random.Random
) -> None:
    """S0.14, S0.15: whatever they say, a workflow in bounds; the order of the analysts is irrelevant."""
    choice = Choice(tuple(order[:count]), all_of_them=settled)
    found = merge(designs, choice)
    again = list(designs)
    chance.shuffle(again)
    assert merge(again, choice) == found
    assert 1 <= found.rounds <= 3
    assert {one.seat for one in found.chosen} <= set(choice.available)
    assert found.synthesizer not in {one.seat for one in found.chosen}
    roles = [one.role.casefold() for one in found.chosen if one.role]
    assert len(roles) == len(set(roles))
    if settled:
        assert sorted(one.seat for one in found.chosen) == sorted(choice.available)
    else:
        assert len(found.chosen) >= (3 if found.type == "debate" else 2)

"""The synthesis as a form: what is refused, and how a draft reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator import formats
from rt_moderator.engine.model import Answer, Failure, Job, Seat, Step
from rt_moderator.engine.options import Options
from rt_moderator.formats import structured
from rt_moderator.formats.debating import findings, rendered, synthesis, workflow
from rt_moderator.formats.debating.findings import Reread
from rt_moderator.formats.debating.synthesis import Dissent, Draft
from rt_moderator.formats.debating.writers import bias, writers

BY_MESSAGE = {2: "ann", 3: "bob", 5: "ann"}
DISSENTS = [Dissent("bob", "votes for something else")]


def draft(**changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "consensus": [{"text": "Measure first.", "messages": ["m2", "m3"]}],
        "divergences": [{"point": "When", "positions": [
            {"seat": "ann", "text": "now", "messages": ["m2"]}, {"seat": "bob", "text": "later", "messages": ["m3"]}]}],
        "blind_spots": [{"text": "Nobody names an owner.", "messages": ["m2"]}],
        "recommendation": {"text": "Go on.", "messages": ["m5"]},
        "outlier": None,
        "red_flags": [{"risk": "No measure.", "mitigation": "Name one.", "messages": ["m3"]}],
        "action_plan": [{"step": "Write it down.", "messages": ["m2"]}],
    }  # fmt: skip
    return found | changed


def checked(value: dict[str, Any]) -> Draft:
    found: Draft = synthesis.check(BY_MESSAGE, DISSENTS)(json.dumps(value))
    return found


def test_a_good_draft_is_taken() -> None:
    """S0.26: a draft whose claims cite replies and that hears the dissent is taken; what it cites is known."""
    assert synthesis.cited(checked(draft())) == [2, 3, 5]


def test_a_dissent_cannot_be_left_out() -> None:
    """S0.26: take the dissent out of a draft and it is refused, with who is missing; as the outlier it is heard."""
    without = draft(
        divergences=[{"point": "When", "positions": [{"seat": "ann", "text": "now", "messages": ["m2"]}]}]
    )
    with pytest.raises(ValueError, match="the dissent of bob is left out"):
        checked(without)
    checked(without | {"outlier": {"seat": "bob", "text": "later", "messages": ["m3"]}})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"consensus": [{"text": "x", "messages": ["m9"]}]}, "m9 is no reply of this discussion"),
        ({"consensus": [{"text": "x", "messages": []}]}, "consensus.0.messages"),
        ({"recommendation": {"text": "x"}}, "recommendation.messages"),
        ({"outlier": {"seat": "eve", "text": "x", "messages": ["m2"]}}, "no seat is called eve"),
        (
            {"outlier": {"seat": "bob", "text": "x", "messages": ["m2"]}},
            "the position of bob cites no message of bob",
        ),
        ({"action_plan": [{"step": "", "messages": ["m2"]}]}, "action_plan.0.step"),
        ({"action_plan": [{"step": "x", "messages": ["soon"]}]}, "action_plan.0.messages"),
    ],
)
def test_what_does_not_hold_is_refused(changed: dict[str, Any], said: str) -> None:
    """Every claim carries message numbers that exist, every position its own; the refusal names the place."""
    with pytest.raises(ValueError, match=said):
        checked(draft(**changed))


@pytest.mark.parametrize("text", ["", "no json", "{", '{"a": 1}', "[1]", "{" * 2000, '"{\\"type\\": 1}"'])
def test_what_is_no_draft_is_a_value_error(text: str) -> None:
    """Whatever a model writes instead of the form is malformed, never a crash."""
    with pytest.raises(ValueError, match=r"."):
        synthesis.check(BY_MESSAGE, [])(text)


def test_json_is_found_in_whatever_stands_around_it() -> None:
    """A fence, words before and after, an object that is none of ours: the one that fits counts; numbers may be bare."""
    text = f'Here {{see}}: {{"x": 1}}\n```json\n{json.dumps(draft(consensus=[{"text": "x", "messages": [2, "[m3]"]}]))}\n```\nDone.'
    assert checked(json.loads(json.dumps(draft()))) is not None
    found = synthesis.check(BY_MESSAGE, [])(text)
    assert found.consensus[0].messages == ["m2", "m3"]


def test_the_shape_shown_is_the_shape_taken() -> None:
    """The example in the prompt comes from the model: every key of it, and nothing else."""
    shape = json.loads(structured.example(Draft))
    assert list(shape) == list(Draft.model_fields)
    assert shape["divergences"][0]["positions"][0]["messages"] == ["m2"]
    assert shape["outlier"]["seat"] == "slug of the seat"


@settings(max_examples=40)
@given(st.text())
def test_no_text_crashes_the_reader_of_drafts(text: str) -> None:
    """Only ValueError means malformed."""
    with pytest.raises(ValueError, match=r"."):
        structured.read(Draft, text)


def test_a_draft_reads_as_sections() -> None:
    """What models wrote is plain words in the report: no HTML, no link, no heading of its own."""
    evil = "# Done <script>x</script> [m9](http://x) `rm`"
    sections = rendered.of_draft(
        Draft.model_validate(draft(recommendation={"text": evil, "messages": ["m2"]})), {"ann": "Ann"}, "58 %"
    )
    assert sections[0].body.startswith("58 %\n\n- Measure first. (m2, m3)")
    assert "  - Ann: now (m2)" in sections[1].body
    assert sections[3].body == r"\# Done \<script\>x\</script\> \[m9\](http://x) \`rm\` (m2)"
    assert sections[4].body == "None named."


# Findings


def step(name: str, number: int, **texts: str) -> Step:
    seqs = {slug: 10 * number + at for at, slug in enumerate(texts)}
    return Step(
        name, 10 * number - 1, number, tuple(Answer(slug, seqs[slug], text) for slug, text in texts.items())
    )


def test_findings_tell_labels_from_names() -> None:
    """S0.26: what a seat calls Panelist A is told by its slug; a revision is a stand of its own; dissents are named."""
    first = step(
        "r1", 1, ann="VOTE: go\n## Self-digest\nGo.", bob="VOTE: wait\n## Self-digest\nWait.", cy="VOTE: go"
    )
    second = step(
        "r2", 2,
        ann="## Critique\n- Panelist B, m11: slow — so is Panelist A\n## Revision\nGo, as Panelist A says.\nVOTE: go\nSCORES:\n"
            "- Panelist A: 4/5\n- Panelist B: 2/5",
        bob="CHANGED: yes, m10: Panelist A is right\nVOTE: go\nSCORES:\n- Panelist A: 5/5\n- Panelist B: 5/5",
    )  # fmt: skip
    labels = {
        "ann": {"cy": "Panelist A", "bob": "Panelist B"},
        "bob": {"ann": "Panelist A", "cy": "Panelist B"},
    }
    found = findings.find(first, [Reread(2, second, labels)])
    assert next((c.by, c.to, c.text) for c in found.critiques) == ("ann", "bob", "m11: slow — so is cy")
    assert [stand.plain for stand in found.stands][-1] == "Go, as cy says."
    assert {b.seat: (b.final, b.changed, b.cites) for b in found.ballots} == {
        "ann": ("go", False, ()), "bob": ("go", True, (10,)), "cy": ("", False, ()),
    }  # fmt: skip
    assert found.ballots[1].why == "m10: ann is right"
    assert [(one.seat, one.what) for one in found.dissents] == [("ann", "scores bob 2/5")]
    assert found.consensus.pct == 80.0
    assert set(found.by_message) == {10, 11, 12, 20, 21}


def test_votes_that_part_are_dissents() -> None:
    """S0.26: with a leading option the others have to be heard; in a tie everybody."""
    one = findings.find(step("r1", 1, a="VOTE: x", b="VOTE: x", c="VOTE: y", d="VOTE: abstain"))
    assert [dissent.seat for dissent in one.dissents] == ["c"]
    tie = findings.find(step("r1", 1, a="VOTE: x", b="VOTE: y"))
    assert [dissent.seat for dissent in tie.dissents] == ["a", "b"]
    assert findings.find(step("r1", 1, a="VOTE: x", b="VOTE: x")).dissents == []


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from("abc"), st.text(), min_size=1),
    st.dictionaries(st.sampled_from("abc"), st.text()),
)
def test_no_replies_crash_the_findings(first: dict[str, str], second: dict[str, str]) -> None:
    """Whatever seats write, it is counted or left out."""
    labels = {"a": {"b": "Panelist A", "c": "Panelist B"}}
    found = findings.find(step("r1", 1, **first), [Reread(2, step("r2", 2, **second), labels)])
    assert {ballot.seat for ballot in found.ballots} == set(first)
    rendered.votes_and_scores(found, {})
    rendered.meta(found, {}, ["note"])


def test_failures_are_told_with_their_step() -> None:
    """S0.30: [TIMEOUT] and [ERROR: reason] stand in the meta section with the step."""
    first = Step("r1", 1, 1, (), (Failure("a", "failed", "timeout"), Failure("b", "failed", "quota")))
    body = rendered.meta(findings.find(first), {}, []).body
    assert body == "- \\[TIMEOUT\\] a in r1\n- \\[ERROR: quota\\] b in r1"


# Writers and stages

PANEL = [
    Seat("a", profile="claude", model="opus", family="anthropic"),
    Seat("b", profile="codex", family="openai"),
]
FAMILIES = {"claude": "anthropic", "codex": "openai", "gemini": "google", "grok": "xai"}


def test_the_synthesizer_is_outside_the_panel_and_of_another_family() -> None:
    """S0.26: who was named first, then other families, then who does not sit, then the panel's own models."""
    options = Options(roster=("claude:opus", "claude:haiku", "codex", "gemini"), families=FAMILIES)
    assert writers((), options, PANEL) == ("gemini", "claude:haiku", "claude:opus", "codex")
    assert writers(("grok",), options, PANEL)[0] == "grok"
    assert writers((), options.model_copy(update={"moderator": "codex:mini"}), PANEL)[:2] == (
        "codex:mini",
        "gemini",
    )
    assert writers((), Options(), []) == ("rehearsal",)


def test_a_rehearsal_panel_is_written_up_by_its_profile_alone() -> None:
    """Behaviours of scripted seats are no models that could write."""
    seats = [Seat("a", profile="rehearsal", model="silent", family="rehearsal")]
    assert writers((), Options(), seats) == ("rehearsal",)


def test_a_panel_model_that_writes_is_a_risk_of_bias() -> None:
    """S0.27: a writer of a family that sits on the panel is said in the header."""
    assert "anthropic" in bias(Job("x", profile="claude", family="anthropic"), PANEL)
    assert bias(Job("x", profile="gemini", family="google"), PANEL) == ""


@pytest.mark.parametrize(
    ("kind", "roles", "second"),
    [
        ("debate", ["A", "B", "C"], []),
        ("sequential", ["Architect", "Reviewer", "Engineer", "Implementer"], ["s1"]),
        ("sequential", ["A", "B", "C"], ["s2"]),
        ("sequential", ["A"], []),
        ("hybrid", ["A", "B"], ["s1"]),
        ("hybrid", list("ABCDEF"), ["s4", "s5"]),
        ("hybrid", ["Integrator", "B", "C"], ["s0"]),
        ("sequential", ["Tester", "Reviewer"], ["s1"]),
    ],
)
def test_who_sits_in_which_stage(kind: Any, roles: list[str], second: list[str]) -> None:
    """S0.21, S0.22: who checks or integrates is stage 2, else the last; in a hybrid each of stage 1 has a part of its own."""
    seats = [Seat(f"s{at}", role=role, viewpoint=f"view {at}") for at, role in enumerate(roles)]
    places = workflow.laid_out(kind, seats)
    assert [place.slug for place in places if place.stage == 2] == second
    tasks = [place.task for place in places if place.stage == 1]
    assert len(set(tasks)) == (len(tasks) if kind == "hybrid" else 1)


@pytest.mark.parametrize(("asked", "held"), [(None, 2), (0, 2), (1, 1), (2, 2), (3, 3), (4, 3), (20, 3)])
def test_never_more_than_three_rounds(asked: int | None, held: int) -> None:
    """S0.15: the blind round counts, three is the most, and more asked for is said."""
    rounds, said = workflow.rounds_of(Options(rounds=asked))
    assert rounds == held
    assert bool(said) is (asked is not None and asked > 3)
    assert workflow.rounds_of(Options(rounds=asked, quick=True))[0] == 1


@pytest.mark.parametrize(
    ("name", "seats", "given", "most"),
    [("debate", 4, {}, 9), ("debate", 3, {"quick": True}, 4), ("debate", 4, {"validate": True}, 14), ("sequential", 4, {}, 5),
     ("hybrid", 6, {"rounds": 2}, 11), ("auto", 0, {}, 23), ("auto", 3, {"quick": True}, 4)],
)  # fmt: skip
def test_the_plan_counts_the_calls(name: str, seats: int, given: dict[str, Any], most: int) -> None:
    """S0.4, S0.35: how many calls a run makes at most; quick makes less than half of a normal run."""
    found = formats.calls(name, seats, json.dumps(given))
    assert found is not None
    assert found[0] == most
    assert formats.calls("open", 3, "") is None

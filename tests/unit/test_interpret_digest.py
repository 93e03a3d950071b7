"""The digest of `interpret`: what it may hold, and that nobody can be left out of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.engine.labels import labelled
from rt_moderator.formats import structured
from rt_moderator.formats.interpreting.digest import (
    EMPTY,
    Digest,
    Ground,
    digest,
    merged,
    problems,
    relabelled,
    resolved,
)
from rt_moderator.formats.interpreting.replies import Discussion, Opening, discussion, opening

SAID = {"a": 2, "b": 3, "c": 4}
OPENING = {
    "restated_request": "Make it fast.",
    "intent": ["speed"],
    "scope_in": ["reads"],
    "scope_out": [],
    "assumptions": [],
    "ambiguities": ["fast for whom"],
    "open_questions": [],
    "confidence": 0.6,
}


def draft(**changes: Any) -> dict[str, Any]:
    """A fair first digest: one agreement, one point with three positions."""
    points = [
        {
            "id": "D1",
            "statement": "What counts as fast",
            "positions": {
                "a": {"position": "latency", "message": "m2"},
                "b": {"position": "latency", "message": 3},
                "c": {"position": "throughput", "message": "m4"},
            },
            "question": "Latency or throughput?",
        }
    ]
    agreed = [{"text": "It is about reads.", "messages": ["m2", "m3", "m4"]}]
    return {"agreements": agreed, "points": points, "open_questions": ["by when?"]} | changes


def without(draft_: dict[str, Any], slug: str) -> dict[str, Any]:
    """The draft without that seat's position on D1."""
    copy: dict[str, Any] = json.loads(json.dumps(draft_))
    del copy["points"][0]["positions"][slug]
    return copy


def test_a_digest_is_read_wherever_it_stands() -> None:
    """S3.17: as JSON, in a file with words around it, or in a code block; message numbers as m3 or 3."""
    plain = json.dumps(draft())
    found = digest(plain)
    assert (
        found
        == digest(draft())
        == digest(f"Here:\n```json\n{plain}\n```\nDone.")
        == digest(f"So: {plain} ok")
    )
    assert found.points[0].positions["c"].message == 4
    assert problems(found, Ground(SAID)) == []


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ("no json", "no JSON object"),
        ({}, "agreements: Field required"),
        (draft(points=[draft()["points"][0]] * 2), "D1 stands twice"),
        (without(without(draft(), "a"), "b"), "at least two seats"),
        (draft(points=[{**draft()["points"][0], "id": "X1"}]), "points.0.id"),
        (draft(agreements=[{"text": "x", "messages": []}]), "agreements.0.messages"),
        (draft(agreements=[{"text": "x", "messages": ["m0"]}]), "agreements.0.messages.0"),
        (draft(agreements=[{"text": " ", "messages": ["m2"]}]), "agreements.0.text"),
    ],
)
def test_what_is_no_digest(given_: str | dict[str, Any], why: str) -> None:
    """A digest that does not fit the schema is refused with the place that is wrong."""
    with pytest.raises(ValueError, match=why):
        digest(given_ if isinstance(given_, str) else json.dumps(given_))
    if not isinstance(given_, str):
        with pytest.raises(ValueError, match=why):
            digest(given_)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"agreements": [{"text": "x", "messages": ["m2", "m3"]}]}, "agreement 1 is no agreement of all: m4"),
        (
            {"agreements": [{"text": "x", "messages": ["m2", "m3", "m4", "m9"]}]},
            "cites m9, which no seat wrote",
        ),
        ({"points": [{**draft()["points"][0], "statement": "a says ⟨a⟩"}]}, "names nobody"),
    ],
)
def test_an_unfair_first_digest(changed: dict[str, Any], why: str) -> None:
    """S3.2: an agreement is one of all seats, cites what exists, and a statement is neutral."""
    found = problems(digest(draft(**changed)), Ground(SAID))
    assert [line for line in found if why in line] == found != []


def test_a_digest_that_says_nothing() -> None:
    """S3.2: readings were made, so something is shared or something is open."""
    assert problems(EMPTY, Ground(SAID)) == [
        "it says nothing: what all share is an agreement, where they part is a point"
    ]


def test_positions_come_from_seats_and_name_their_message() -> None:
    """S3.2: no position of somebody who did not speak, none in another's message, none that are all the same."""
    made = draft()
    made["points"][0]["positions"] |= {"d": {"position": "mine", "message": "m5"}}
    made["points"][0]["positions"]["a"]["message"] = "m3"
    found = "\n".join(problems(digest(made), Ground(SAID)))
    assert "D1: d is no seat that said something" in found
    assert "the position of a stands in m2, not in m3" in found
    same = draft()
    same["points"][0]["positions"]["c"]["position"] = " LATENCY "
    assert problems(digest(same), Ground(SAID)) == ["D1: all positions are the same, so it is an agreement"]


def test_a_dissent_cannot_be_left_out() -> None:
    """S3.17: a later digest without a seat's position, or without a point that is still open, is refused."""
    before = digest(draft())
    ground = Ground({"a": 6, "b": 7, "c": 8}, before, known={"a": frozenset({2})})
    later = json.loads(json.dumps(draft()))
    for slug, seq in ground.said.items():
        later["points"][0]["positions"][slug]["message"] = seq
    assert problems(digest(later), ground) == []
    assert problems(digest(without(later, "c")), ground) == ["D1 leaves out the position of c"]
    gone = problems(digest(later | {"points": []}), ground)
    assert gone == ["D1 is still open and must stay: not every seat agrees"]
    early = later | {"agreements": [{"text": "Latency.", "messages": ["m6"], "point": "D1"}]}
    assert "agreement 1: D1 is not locked, so it stays among the points" in problems(digest(early), ground)


def test_a_lock_is_worded_once_and_never_reopened() -> None:
    """S3.17: a locked point must be worded as an agreement; afterwards neither its words nor its point come back."""
    before = digest(draft())
    ground = Ground({"a": 6, "b": 7, "c": 8}, before, ("D1",))
    assert problems(EMPTY, ground) == ["D1 locked: word what was agreed, as an agreement with that point"]
    agreed = digest(
        {"agreements": [{"text": "Latency.", "messages": ["m6", "m7"], "point": "D1"}], "points": []}
    )
    assert problems(agreed, ground) == []
    after = merged(agreed, before)
    assert [one.text for one in after.agreements] == ["It is about reads.", "Latency."]
    assert after.points == []
    again = problems(digest(draft()), Ground({"a": 9, "b": 10, "c": 11}, after))
    assert "D1 was agreed before and is not reopened" in again
    reworded = digest(
        {"agreements": [{"text": "Rather both.", "messages": ["m9"], "point": "D1"}], "points": []}
    )
    assert merged(reworded, after).agreements == after.agreements


def test_a_silent_seat_keeps_its_position_and_a_point_its_statement() -> None:
    """A later digest without a silent seat gets that seat's last position back, and the point its first words."""
    before = digest(draft())
    later = without(draft(), "c")
    later["points"][0]["statement"] = "Something else"
    found = merged(digest(later), before).points[0]
    assert found.statement == "What counts as fast"
    assert found.positions["c"].position == "throughput"


def test_labels_become_seats_and_seats_labels() -> None:
    """S3.20: what was said of Panelist A in one step is said of the same seat under its next label; whole labels only."""
    labels = {"a": "Panelist A", "b": "Panelist B", "c": "Panelist AA"}
    made = draft()
    held = made["points"][0]["positions"]
    made["points"][0]["positions"] = {labels[slug]: one for slug, one in held.items()}
    held["b"]["position"] = "as Panelist AA says, not Panelist A"
    found = resolved(digest(made), labels)
    assert problems(found, Ground(SAID)) == []
    text = found.points[0].positions["b"].position
    assert text == "as ⟨c⟩ says, not ⟨a⟩"
    assert relabelled(text, {"a": "Panelist C", "c": "Panelist B"}) == "as Panelist B says, not Panelist C"
    assert relabelled(text, {}) == "as c says, not a"


@given(st.permutations(sorted(SAID)), st.text(max_size=40))
def test_the_order_of_seats_makes_no_difference(order: list[str], text: str) -> None:
    """Positions in any order, with any words, give the same problems."""
    made = draft()
    held = made["points"][0]["positions"]
    made["points"][0]["positions"] = {slug: held[slug] for slug in order}
    held["a"]["position"] = f"p {text}"
    ordered = {slug: SAID[slug] for slug in order}
    assert problems(digest(made), Ground(ordered)) == problems(digest(json.dumps(made)), Ground(SAID))
    names = labelled(order, "table", "r1")
    assert relabelled(resolved(digest(made), names).points[0].statement, names) == "What counts as fast"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "agreements",
                    "points",
                    "id",
                    "positions",
                    "messages",
                    "text",
                    "point_responses",
                    "agree",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANY_JSON, st.text(max_size=30), st.booleans())
def test_nothing_crashes_the_readers(value: Any, words: str, fenced: bool) -> None:
    """Any text gives a value or a ValueError, from every reader; what is wrong fits a line."""
    text = f"{words}\n```json\n{json.dumps(value)}\n```\n{words}" if fenced else words + json.dumps(value)
    for read in (digest, opening, discussion(["D1"])):
        why = ""
        try:
            assert isinstance(read(text), Digest | Opening | Discussion)
        except ValueError as exc:
            why = str(exc) or "nothing is said"
        assert "\n" not in why
        assert why != "nothing is said"


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "{" * 100_000, '{"a": ' + "9" * 10_000 + "}"]
)
def test_hostile_depth_is_a_malformed_reply(text: str) -> None:
    """Deep nesting and long numbers are malformed, not a crash, and cost little."""
    with pytest.raises(ValueError, match=r".+"):
        opening(text)


def test_the_shown_schema_is_what_is_validated() -> None:
    """S3.15, S3.21: the eight fields of an opening and the four of a discussion, in the schema as in the check."""
    shown = json.loads(structured.schema(Opening))
    assert list(shown["properties"]) == list(OPENING)
    assert shown["required"] == list(OPENING)
    assert opening(json.dumps(OPENING)).model_dump() == OPENING
    for name in OPENING:
        with pytest.raises(ValueError, match=name):
            opening(json.dumps({key: value for key, value in OPENING.items() if key != name}))
    shown = json.loads(structured.schema(Discussion))
    assert list(shown["properties"]) == ["point_responses", "changed_mind", "held", "confidence"]
    assert structured.shape(Discussion) == (
        '{"point_responses": [{"point_id": string, "position": string, "agree": boolean, "reasoning": string}],'
        ' "changed_mind": [string], "held": [string], "confidence": number}'
    )


@pytest.mark.parametrize(
    ("points", "changed", "why"),
    [
        ([], [], "nothing about D1, D2"),
        (["D1"], [], "nothing about D2"),
        (["D1", "D2", "D2"], [], "more than one response to D2"),
        (["D1", "D2", "D3"], [], "D3: no such open point"),
        (["D1", "D2"], ["D7"], "D7: no such open point"),
    ],
)
def test_every_open_point_is_answered_once(points: list[str], changed: list[str], why: str) -> None:
    """S3.21: a response that is missing, doubled or about nothing makes a reply malformed, and says why."""
    rows = [{"point_id": one, "position": "p", "agree": True, "reasoning": "r"} for one in points]
    text = json.dumps({"point_responses": rows, "changed_mind": changed, "held": [], "confidence": 1})
    with pytest.raises(ValueError, match=why):
        discussion(["D1", "D2"])(text)

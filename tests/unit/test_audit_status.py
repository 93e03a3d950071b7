"""What is read in a seat's block, and that nothing is guessed."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator.formats.audit import status
from rt_moderator.formats.audit.status import Status, Vote

FINDING = {
    "id": "new",
    "title": "No deadline",
    "severity": "blocking",
    "state": "open",
    "evidence": "a.py:3",
    "proposal": "one",
}


def block(label: str = status.STATUS, **changed: Any) -> str:
    said = {"verdict": "object", "confidence": 0.5, "findings": [FINDING]} | changed
    return f"## Position\nNo.\n\n```{label}\n{json.dumps(said)}\n```\n"


def test_a_block_is_read() -> None:
    """S2.36: the one fenced block at the end of a reply, whatever stands around it and however it is fenced."""
    found = status.status(block())
    assert (found.verdict, found.confidence, found.findings[0].title) == ("object", 0.5, "No deadline")
    assert found.findings[0].blocks
    assert status.status(block().replace("```", "~~~~")) == found
    assert status.status(block().removesuffix("```\n")) == found
    assert status.status("````text\n" + block(verdict="agree") + "````\n" + block()) == found
    assert status.status(block() + block()) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I agree.", "there is no fenced block roundtable-status"),
        ("```json\n{}\n```", "there is no fenced block"),
        ("````text\n" + block() + "````\n", "there is no fenced block"),
        (block() + block(verdict="agree"), "2 different"),
        ("```roundtable-status\n{'verdict': 1}\n```", "is not JSON"),
        ("```roundtable-status\n[1]\n```", "valid dictionary"),
        ("```roundtable-status\n" + "[" * 100_000 + "\n```", "nested too deep"),
        (block(verdict="maybe"), "verdict: Input should be 'agree', 'object' or 'abstain'"),
        (block(confidence=1.1), "confidence"),
        (block(confidence=float("nan")), "is no number"),
        (block(confidence=float("inf")), "is no number"),
        (block(findings=[FINDING | {"severity": "huge"}]), "findings.0.severity"),
        (block(findings=[FINDING | {"evidence": " "}]), "has no evidence"),
        (block(findings=[FINDING, FINDING | {"title": "no deadline!"}]), "two findings have the title"),
        (
            block(findings=[FINDING | {"id": "f3"}, FINDING | {"id": "F3", "title": "b"}]),
            "two findings have the id 'F3'",
        ),
    ],
)
def test_what_is_not_of_the_form_is_malformed(text: str, said: str) -> None:
    """S2.36: anything else raises ValueError, with words that its writer can act on; nothing is guessed."""
    with pytest.raises(ValueError, match=said):
        status.status(text)


def test_a_vote_is_read() -> None:
    """S2.31: approve, object with reasons, or abstain; an objection without its reason is malformed."""
    why = {"where": "F1", "why": "It is not what I said."}
    label = status.VETO

    def vote(**said: Any) -> Vote:
        return status.vote(f"```{label}\n{json.dumps(said)}\n```")

    assert vote(vote="object", objections=[why]).objections[0].why == why["why"]
    assert vote(vote="approve").vote == "approve"
    for bad in ({"vote": "object"}, {"vote": "approve", "objections": [why]}, {"vote": "no"}):
        with pytest.raises(ValueError, match=label):
            vote(**bad)


def test_the_schema_is_the_models() -> None:
    """S2.36: what an agent is shown names every field and value that the model takes, and nothing else."""
    shown = json.loads(status.schema(Status))
    assert set(shown["properties"]) == set(Status.model_fields)
    finding = shown["$defs"]["Finding"]["properties"]
    assert finding["severity"]["enum"] == ["blocking", "major", "minor"]
    assert finding["state"]["enum"] == ["open", "held", "withdrawn", "resolved"]
    assert shown["properties"]["verdict"]["enum"] == ["agree", "object", "abstain"]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.sampled_from(["agree", "blocking", "open"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FINDING, "verdict", "confidence", "findings"]), inner),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60)
@given(said=JSON, text=st.text(alphabet='`~ \nxroundtable-statusveto{}[]":1', max_size=80))
def test_no_input_crashes_the_reading(said: Any, text: str) -> None:
    """Property: a status or a ValueError, for any JSON and any text; a status has its numbers in bounds."""
    for read in (status.status, status.vote):
        for reply in (
            f"```roundtable-status\n{json.dumps(said)}\n```",
            f"```roundtable-veto\n{json.dumps(said)}\n```",
            text,
        ):
            with suppress(ValueError):
                found = read(reply)
                assert isinstance(found, Vote) or 0 <= found.confidence <= 1

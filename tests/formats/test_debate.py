"""`debate` from topic to report, with seats that agree, dissent, misbehave or fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from rt_mailbox import tables, turns
from rt_moderator.engine import prompts
from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

FOUR = ("advocate", "devil", "analyst", "contrarian")
AGREED = dict.fromkeys(FOUR, "agree")


def run_of(
    bus: Bus, *slugs: str, options: dict[str, Any] | None = None, answer: Any = None, **behaviours: str
) -> FormatRun:
    return FormatRun(
        bus, "debate", *(slugs or FOUR), answer=answer or rehearsed(**behaviours), options=options
    )


def result_of(run: FormatRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.file("result.json"))
    return found


@dataclass(frozen=True)
class Kept:
    """What a finished run left, for several tests to look at."""

    state: str
    steps: list[str]
    result: dict[str, Any]
    report: str
    messages: list[dict[str, Any]]
    requests: dict[str, dict[str, str]]
    draft: str
    transcript: str


KEPT: dict[str, Kept] = {}
Make = Callable[[Bus], FormatRun]
Finished = Callable[[Make], Kept]


@pytest.fixture
def finished(request: pytest.FixtureRequest) -> Finished:
    """Run a table to its end, once in this process, whoever asks first."""

    def found(make: Make) -> Kept:
        if make.__name__ not in KEPT:
            run = make(request.getfixturevalue("bus"))
            state = run.drive()
            KEPT[make.__name__] = Kept(
                state, run.steps(), result_of(run), run.file("report.md"), [dict(message) for message in run.messages()],
                {step: run.requests(step) for step in ("r1", "r2", "r3", "validation")}, draft_prompt(run), run.file("transcript.md"),
            )  # fmt: skip
        return KEPT[make.__name__]

    return found


def plain_debate(bus: Bus) -> FormatRun:
    """Three agree, one dissents."""
    return run_of(bus, options={"search": False}, **AGREED | {"analyst": "dissent"})


def test_a_debate_from_topic_to_report(finished: Finished) -> None:
    """S0.24, S0.26, S0.28: blind round, critique, synthesis from outside; report and result hold all of it."""
    run = finished(plain_debate)
    assert (run.state, run.steps) == ("done", ["r1", "r2.budget", "r2", "closing", "draft", "synthesis"])
    found = run.result
    assert (found["consensus_pct"], found["agreement"], found["rounds"]) == (65.0, 56.2, 2)
    assert found["scores"]["analyst"] == {"advocate": 1, "contrarian": 1, "devil": 1}
    assert (found["minority"], found["result"], found["validated"]) == (["analyst"], "no_consensus", None)
    assert found["votes"]["analyst"] == {
        "first": "not now",
        "final": "not now",
        "changed": False,
        "cites": [],
    }
    assert {"date", "topic", "mode", "workflow_type", "stages", "meta_panel_recommendation", "panel_degraded", "citations",
            "panel_degradation_notes", "synthesis_model", "elapsed_time_sec", "usage", "synthesis"} <= set(found)  # fmt: skip
    assert found["stages"][0] == {
        "model": "rehearsal",
        "role": "Advocate",
        "task": "",
        "seat": "advocate",
        "stage": 1,
    }
    assert set(found["citations"]) <= {f"m{message['seq']}" for message in run.messages}


def test_the_report_has_its_sections_in_order(finished: Finished) -> None:
    """The sections of a debate's report, consensus to meta, every claim with messages."""
    report = finished(plain_debate).report
    assert re.findall(r"^## (.+)$", report, re.MULTILINE) == [
        "Consensus", "Divergences", "Blind spots", "Recommendation", "Outlier", "Red flags", "Action plan", "Votes and scores",
        "Meta", "The run",
    ]  # fmt: skip
    claims = re.findall(r"^(?:\d+\.|-) .*rehearsal says.*$", report, re.MULTILINE)
    assert claims
    assert all(re.search(r"\(m\d+", claim) for claim in claims)


def test_nobody_speaks_as_the_moderator(finished: Finished) -> None:
    """S0.11: no reply is the moderator's, and the synthesis is the synthesizer's."""
    said = {(message["kind"], message["from"]) for message in finished(plain_debate).messages}
    assert ("synthesis", "synthesizer") in said
    assert not [kind for kind, person in said if person == "moderator" and kind in ("reply", "synthesis")]


def test_round_2_holds_the_own_digest_and_the_peers_under_labels(finished: Finished) -> None:
    """S0.18, S0.19: own digest once, three peers as Panelist A to C with their numbers, no slug, no role, no own twice."""
    requests = finished(plain_debate).requests["r2"]
    request = requests["analyst"]
    assert len(re.findall(r"^Panelist [ABC], m[2-5]:$", request, re.MULTILINE)) == 3
    assert request.count("```digest") == 4
    assert "Panelist D" not in request
    assert not re.search(r"advocate|devil|contrarian", request, re.IGNORECASE)
    orders = {tuple(re.findall(r"m[2-5](?=:\n)", one)) for one in requests.values()}
    assert len(orders) > 1


def test_the_transcript_tells_who_the_labels_were(finished: Finished) -> None:
    """S0.19: what a seat wrote stays as it was; the person's transcript says below it who Panelist A is."""
    run = finished(plain_debate)
    legends = re.findall(
        r"^\(Panelist A is (\w+), Panelist B is (\w+), Panelist C is (\w+)\)$", run.transcript, re.MULTILINE
    )
    assert len(legends) == 4
    assert {frozenset(set(FOUR) - set(legend)) for legend in legends} == {frozenset({slug}) for slug in FOUR}


def test_without_a_search_the_note_stands_in_every_first_prompt(finished: Finished) -> None:
    """S0.6, S0.33: --no-search: nothing is looked up, and every prompt that would hold it says `none available`."""
    run = finished(plain_debate)
    assert "search" not in run.steps
    assert all("Current context: none available." in request for request in run.requests["r1"].values())
    assert "Current context: none available." in run.draft
    assert "no search was wanted" in run.report


def test_the_synthesizer_gets_digests_critiques_and_scores(finished: Finished) -> None:
    """S0.26: it is no seat, and its prompt holds every digest, who criticised whom, the matrix and the percentage."""
    prompt = finished(plain_debate).draft
    assert prompt.count("```digest") >= 4
    assert re.search(r"^advocate \(m\d+\) criticised (devil|analyst|contrarian):$", prompt, re.MULTILINE)
    assert "Consensus 65 %" in prompt
    assert "- analyst gives: advocate 1" in prompt
    assert "Panelist" not in prompt
    assert re.search(r"^- analyst: votes for something else", prompt, re.MULTILINE)


def many_options(bus: Bus) -> FormatRun:
    """Names, five rounds asked for, high dissent, prior context and material."""
    options = {
        "named": True,
        "rounds": 5,
        "dissent": "high",
        "prior": "We chose A.\n```\nhidden",
        "context": "A costs 3.",
    }
    return run_of(bus, "ann", "bob", "cy", options=options)


def test_named_shows_the_seats_names(finished: Finished) -> None:
    """S0.19: --named turns the labels off; scores are read all the same."""
    run = finished(many_options)
    assert "Panelist" not in run.requests["r2"]["ann"]
    assert {"bob, m", "cy, m"} <= set(re.findall(r"^\w+, m", run.requests["r2"]["ann"], re.MULTILINE))
    assert run.result["consensus_pct"] is not None


def test_dissent_is_a_dial(finished: Finished) -> None:
    """--dissent high changes what both rounds ask for."""
    run = finished(many_options)
    assert "Assume that the obvious answer is wrong" in run.requests["r1"]["ann"]
    assert "Assume that the obvious answer is wrong" in run.requests["r2"]["ann"]


def test_three_rounds_are_two_critiques_and_never_more(finished: Finished) -> None:
    """S0.15: the third round is one more critique; five asked for are three, and the report says so."""
    run = finished(many_options)
    assert run.result["rounds"] == 3
    assert any("5 rounds were asked for" in warning for warning in run.result["warnings"])
    assert "This is round 3" in run.requests["r3"]["ann"]
    assert "r4" not in run.steps


def test_prior_context_and_material_are_in_round_1_and_the_synthesis(finished: Finished) -> None:
    """S0.7: the earlier synthesis stands under its heading, material beside it, both fenced; round 2 repeats neither."""
    run = finished(many_options)
    request = run.requests["r1"]["ann"]
    assert "PRIOR ROUNDTABLE CONTEXT" in request
    assert "````prior\nWe chose A." in request
    assert "A costs 3." in request
    assert "A costs 3." not in run.requests["r2"]["ann"]
    assert "A costs 3." in run.draft


def odd_seats(bus: Bus) -> FormatRun:
    """One seat of each kind of trouble beside two that agree."""
    behaviours = {
        "advocate": "agree",
        "devil": "malformed",
        "analyst": "abstain",
        "contrarian": "agree",
        "keeper": "agree",
    }
    plain = rehearsed(**behaviours)

    def answer(slug: str, request: str, turn: str) -> str | None:
        text = None if turn in ("r1/late", "r2/keeper") else plain(slug, request, turn)
        return (
            re.sub(r"Panelist A: \S+.*", "Panelist A: strong", text)
            if text and slug == "contrarian"
            else text
        )

    return run_of(bus, *behaviours, "late", answer=answer)


def test_malformed_replies_are_marked_and_never_stop_it(finished: Finished) -> None:
    """S0.17, S0.23: no digest is inferred and listed; no readable score is not scored and leaves the sum."""
    run = finished(odd_seats)
    assert (run.state, run.result["not_scored"]) == ("done", ["devil"])
    assert "[DIGEST INFERRED]" in run.requests["r2"]["analyst"]
    assert "DIGEST INFERRED\\] devil" in run.report
    assert "Not scored: devil" in run.report


def test_seats_that_abstain_oppose_nothing(finished: Finished) -> None:
    """Abstaining is its own value: not scored against anybody, in no minority."""
    found = finished(odd_seats).result
    assert (found["scores"]["analyst"], found["votes"]["analyst"]["final"], found["minority"]) == (
        {},
        "abstain",
        [],
    )


def test_an_inferred_score_is_listed(finished: Finished) -> None:
    """S0.23, S0.24: a peer without a readable score gets 3, marked, and both percentages stand without it, too."""
    run = finished(odd_seats)
    assert len(run.result["scores_inferred"]) == 1
    assert (run.result["consensus_pct"], run.result["consensus_pct_read"]) == (77.5, 80.0)
    assert "SCORE INFERRED" in run.report


def test_a_seat_that_fails_in_round_2_keeps_its_digest_and_leaves_the_sum(finished: Finished) -> None:
    """S0.30: its round-1 digest stays, its scores and its final vote are gone, and [TIMEOUT] stands in the meta section."""
    run = finished(odd_seats)
    assert "keeper" not in run.result["scores"]
    assert "keeper" in run.result["scores"]["advocate"]
    assert run.result["votes"]["keeper"] == {
        "first": "small steps first",
        "final": None,
        "changed": False,
        "cites": [],
    }
    assert "[TIMEOUT\\] keeper in r2" in run.report


def test_a_seat_without_round_1_sits_out_round_2(finished: Finished) -> None:
    """S0.30, S0.33: no self-digest, no round 2 for it; the others neither wait for it nor score it."""
    run = finished(odd_seats)
    assert "late" not in run.requests["r2"]
    assert "late" not in run.result["scores"]["advocate"]
    assert "[TIMEOUT\\] late in r1" in run.report


def test_quick_is_one_round_and_a_synthesis(bus: Bus) -> None:
    """S0.4, S0.29: three calls and one synthesis, consensus N/A, no validation recommended; with a substitute it is degraded."""
    note = {"seat": "b", "why": "claude:sonnet sits in for gemini", "action": "install it: npm …"}
    run = run_of(bus, "a", "b", "c", options={"quick": True, "panel_notes": [note]})
    run.drive()
    found = result_of(run)
    assert (found["rounds"], found["consensus_pct"], found["result"]) == (1, None, "degraded")
    assert [step for step in run.steps() if step.startswith("r")] == ["r1"]
    assert "Consensus N/A" in run.file("report.md")
    assert "Recommended" not in run.file("report.md")


def test_who_breaks_gives_way_to_the_fallback_of_its_panel(bus: Bus) -> None:
    """S0.29, S0.30: another model sits in the same role, blind as well; who, for whom, which family and what to do is said first."""
    plain = rehearsed(a="agree", b="agree", **{"b-2": "agree"})

    def answer(slug: str, request: str, turn: str) -> str | None:
        if turn == "r1/b":
            turns.close(
                run.door, run.table, turn, "failed", "quota exceeded", message="[ERROR: quota exceeded]"
            )
        return plain(slug, request, turn)

    run = run_of(bus, "a", "b", answer=answer, options={"search": False})
    tables.set_seat(run.door, run.table, "b", {"fallback": "rehearsal:agree"})
    assert run.drive() == "done", run.said
    found = result_of(run)
    assert found["degraded"] == [
        {
            "seat": "b",
            "why": "rehearsal:agree sits in as b-2 for rehearsal (quota exceeded), the same family (rehearsal)",
            "action": "check key and quota of rehearsal, then rt seat add b=rehearsal",
        }
    ]
    assert set(run.requests("r2")) == {"a", "b-2"}
    assert run.requests("r1.fallback")["b-2"] == run.requests("r1")["b"]
    assert found["result"] == "degraded"
    assert "[ERROR: quota exceeded\\] b in r1" in run.file("report.md")


def test_unanimous_votes_are_consensus_and_replay_changes_nothing(bus: Bus) -> None:
    """The same final vote is consensus, of two seats when it is two; crash replay: a new driver at every look, the same report."""
    once = run_of(bus, "a", "b", options={"search": False}, a="agree", b="agree")
    once.drive()
    report = plain(once.file("report.md"))
    assert result_of(once)["result"] == "consensus"
    assert "agreement of two" in report
    other = FormatRun(
        bus,
        "debate",
        "a",
        "b",
        answer=rehearsed(a="agree", b="agree"),
        options={"search": False},
        table="rt-20260101-1200-other",
    )
    assert other.drive(crashing=True) == "done"
    assert plain(other.file("report.md")).replace("-other", "-cache") == report


def failing(*, at: str, **behaviours: str) -> Any:
    """Seats that do not answer one step."""
    plain, gone = rehearsed(**behaviours), set(at.split())

    def answer(slug: str, request: str, turn: str) -> str | None:
        return None if turn in gone else plain(slug, request, turn)

    return answer


def test_one_reply_skips_round_2(bus: Bus) -> None:
    """S0.31, S0.33: one answer: no peers' digests, no round 2, a synthesis of one, consensus N/A."""
    run = run_of(bus, "a", "b", answer=failing(at="r1/b"))
    assert run.drive() == "done"
    found = result_of(run)
    assert (found["rounds"], found["consensus_pct"], found["result"], found["stop_reason"]) == (
        1,
        None,
        "answered",
        "one_reply",
    )
    assert "r2" not in run.steps()
    assert "no cross-critique" in draft_prompt(run)


def test_no_reply_at_all_waits_for_a_person(bus: Bus) -> None:
    """S0.31, S0.33: nobody answered round 1: no synthesis of nothing, the gate offers to ask again or to end."""
    run = run_of(bus, "a", "b", a="silent", b="dying")
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate_reason"] == "no_replies"
    assert "draft" not in run.steps()


def test_nobody_in_round_2_is_a_note(bus: Bus) -> None:
    """S0.33: no round-2 summaries: the synthesis rests on round 1, and its prompt says `no cross-critique`."""
    run = run_of(bus, "a", "b", answer=failing(at="r2/a r2/b"))
    assert run.drive() == "done"
    assert "no cross-critique" in draft_prompt(run)
    assert "Consensus N/A" in draft_prompt(run)


def draft_prompt(run: FormatRun, name: str = "draft") -> str:
    """What the synthesizer was asked."""
    from rt_mailbox import journal

    return str(journal.read(run.door, run.table)[name]["prompts"][name])


def test_without_any_synthesizer_the_digests_stand_side_by_side(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0.27, S0.33: every synthesizer fails: a report all the same, under `No synthesis`, with scores; no validation."""
    from rt_moderator.engine import jobs
    from rt_moderator.engine.model import Job

    monkeypatch.setattr(jobs, "run", lambda job, _cwd: jobs._plain(Job(), [f"{job.candidates[0]}: quota"]))
    run = run_of(bus, options={"validate": True}, **AGREED)
    assert run.drive() == "done"
    found, report = result_of(run), run.file("report.md")
    assert (found["result"], found["synthesis"], found["consensus_pct"], found["validated"]) == (
        "no_synthesis",
        "",
        80.0,
        None,
    )
    assert "## No synthesis" in report
    assert report.count("> I would vote for") == 4
    assert "validation skipped" in report
    assert "validation" not in run.steps()


@pytest.mark.parametrize(
    ("said", "validated", "rewritten"),
    [
        pytest.param(("agree",) * 4, "yes", False, marks=pytest.mark.full),
        pytest.param(("dissent", "agree", "agree", "agree"), "partial", False, marks=pytest.mark.full),
        (("dissent", "dissent", "agree", "agree"), "no", True),
    ],
)  # fmt: skip
def test_validation(bus: Bus, said: tuple[str, ...], validated: str, rewritten: bool) -> None:
    """S0.6, S0.25: all accurate is yes, one inaccurate is flagged, two get one rewrite; the draft is posted after, once."""
    run = run_of(bus, options={"validate": True}, **dict(zip(FOUR, said, strict=True)))
    assert run.drive() == "done", run.said
    found = result_of(run)
    assert found["validated"] == validated
    assert ("draft.rewrite" in run.steps()) is rewritten
    assert run.steps().index("validation") < run.steps().index("synthesis")
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 1
    assert ("flagged a misrepresentation" in run.file("report.md")) is (validated != "yes")
    assert found["rounds"] == 2
    plain = run_of_same(bus, said)
    assert plain["consensus_pct"] == found["consensus_pct"]


def run_of_same(bus: Bus, said: tuple[str, ...]) -> dict[str, Any]:
    """The same debate without validation: it never changes the consensus."""
    from rt_moderator.formats.debating.scores import consensus, read_scores
    from rt_participant import rehearsal

    labels = {"x": "Panelist A", "y": "Panelist B", "z": "Panelist C"}
    prompt = (
        "".join(f"{label}, m{n}:\n" for n, label in enumerate(labels.values(), 2))
        + "Reply form: debate_critique\n"
    )
    read = {str(n): read_scores(rehearsal.answer(prompt, one), labels) for n, one in enumerate(said)}
    return {"consensus_pct": consensus({slug: found for slug, found in read.items() if found}).pct}


def test_active_steering_stops_before_round_2(bus: Bus) -> None:
    """--mode active: after a round a person decides; stop goes on to the synthesis."""
    from rt_mailbox import journal

    run = run_of(bus, "a", "b", options={"steering": "active"})
    assert run.drive() == "awaiting_moderator"
    journal.put(run.door, run.table, "before.r2.decision", {"choice": "stop", "text": ""}, event="decided")
    assert run.drive() == "done"
    assert (result_of(run)["rounds"], result_of(run)["stop_reason"]) == (1, "stopped by the moderator")


def plain(report: str) -> str:
    """A report without what a second run does otherwise: times, usage, and the numbers of replies within a step."""
    text = re.sub(r"\bm\d+(, m\d+)*", "mN", report)
    return re.sub(r"^- (Date|Time|Usage|Turns): .*$", "", text, flags=re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", range(1, 30, 2))
def test_a_driver_may_die_at_any_write(bus: Bus, call: int, *, before: bool) -> None:
    """Killed before or after any write the run goes on to the same steps, each asked once, and to one synthesis."""
    run = run_of(bus, "a", "b", options={"validate": True, "search": False}, a="agree", b="dissent")
    run.dies_at(call, before=before)
    assert run.drive() == "done"
    assert run.steps() == ["r1", "r2.budget", "r2", "closing", "draft", "validation", "synthesis"]
    assert [m["kind"] for m in run.messages()].count("intent") == 3
    assert [m["kind"] for m in run.messages()].count("synthesis") == 1
    assert result_of(run)["consensus_pct"] == 50.0


def test_every_placeholder_is_strict() -> None:
    """S0.33: a prompt of the family with a value missing is an error, never an empty place."""
    import jinja2

    for name in (
        "debate_round1",
        "debate_critique",
        "debate_stage2",
        "debate_validate",
        "debate_synthesis",
        "auto_analyst",
    ):
        with pytest.raises(jinja2.UndefinedError):
            prompts.render(name, topic="T")


def test_every_prompt_states_a_length() -> None:
    """Every prompt of the family says how long the answer may be."""
    from pathlib import Path

    import rt_config

    folder = Path(rt_config.__file__).parent / "prompts" / "formats"
    for name in (
        "debate_round1",
        "debate_critique",
        "debate_stage2",
        "debate_validate",
        "debate_synthesis",
        "auto_analyst",
    ):
        assert re.search(r"\d+ words", (folder / f"{name}.md").read_text()), name

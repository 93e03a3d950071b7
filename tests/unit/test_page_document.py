"""A table as one HTML file, the index of a record, scores of any shape."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from rt_moderator.page import scores, templating
from rt_moderator.page.document import render_html
from rt_moderator.page.index import Index, Section
from tests.snapshots import Moment, message, moment, seat, turn

SEATS = [
    seat("systems", role='Thinker"><script>', profile="claude"),
    seat("skeptic", state="dropped", reason="<i>quota"),
]
SAID = [
    message(1, "moderator", "Should we? <script>alert(1)</script>", "intent"),
    message(2, "systems", "## Position\n\nSplit m1.\n\n## Challenge\n- m1: who pays"),
    message(3, "moderator", "So far: m2.", "synthesis"),
    message(4, "moderator", "And now?", "intent", round=2),
    message(5, "skeptic", "Late words.", "late"),
    message(6, "moderator", "Split it (m2), not m77.", "synthesis", round=2),
]


def document(said: list[Moment] | None = None, **table: str) -> str:
    """The file of a table."""
    shown = SAID if said is None else said
    found = moment(SEATS, [turn("systems")], table={"topic": "Billing <costs>", **table}, head=len(shown))
    return render_html(found, shown)


def test_the_file_needs_nothing_else() -> None:
    """Issue 6: no script, nothing loaded, a policy that allows its own style alone."""
    html = document()
    assert "<script" not in html
    assert not re.search(r"<(img|link|iframe|object|form)\b|@import|url\(", html)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style
    assert base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode() in html
    assert style[1] == (templating.STATIC / "page.css").read_text()
    assert not re.search(r'href="(?!#)', html)


def test_degraded_first_then_syntheses_then_the_record() -> None:
    """S0.5: what is degraded stands before the title; the latest synthesis before the rounds; every message has its anchor."""
    html = document()
    places = [
        html.index(one)
        for one in ("Degraded", "<h1>", "not m77", 'id="round-1"', 'id="m1"', 'id="round-2"', 'id="m6"')
    ]
    assert places == sorted(places)
    assert re.findall(r'<article[^>]* id="(m\d+)"', html) == [f"m{n}" for n in range(1, 7)]
    assert "who pays" in html
    assert "asks systems" in html
    assert "too late to count, round 1" in html
    assert '<a href="#m2" class="cite"' in html
    assert "#m77" not in html


def test_no_field_of_a_table_can_break_out() -> None:
    """S0.9: topic, role, reason and bodies are text."""
    html = document(goal="<img src=x>", stop_when="'\"><b>")
    assert "Billing &lt;costs&gt;" in html
    assert "<img" not in html
    assert "<i>" not in html
    assert "<b>" not in html


def test_an_empty_and_a_long_table_are_documents_too() -> None:
    """No message: said so. More than 200: only the last round is open."""
    assert "Nothing was said." in document([])
    long = [message(n, "systems", "x", round=1 + n // 150) for n in range(1, 301)]
    assert re.findall(r'id="round-(\d)"( open)?', document(long)) == [("1", ""), ("2", ""), ("3", " open")]


def test_a_late_message_stands_where_it_came() -> None:
    """Sections follow the highest round so far, and grow with the record."""
    index = Index()
    index.add(SAID[:3])
    index.add(SAID[3:])
    assert index.sections() == [Section(1, 1, 3), Section(2, 4, 6)]
    assert [index.round_of(n) for n in (0, 1, 3, 4, 5, 99)] == [0, 1, 1, 2, 2, 2]
    assert [one["seq"] for one in index.syntheses] == [3, 6]


def test_scores_and_points_are_tables() -> None:
    """S2.9: who gave whom how much with what each got on average; points with each seat's place."""
    found = scores.view(
        {
            "scores": {"a": {"b": 7, "c": 4.5}, "b": {"c": 8}},
            "points": [
                {
                    "id": "P1",
                    "statement": "x",
                    "status": "agreed",
                    "positions": {"a": "yes", "b": {"position": "<no>", "message": 4}},
                }
            ],
        },
        lambda seq: f"#m{seq}",
    )
    assert found.matrix
    assert found.matrix.names == ["a", "b", "c"]
    assert found.matrix.rows == [("a", ["–", "7", "4.5"]), ("b", ["–", "–", "8"])]
    assert found.matrix.means == ["–", "7.0", "6.2"]
    assert found.points == [
        scores.Point(
            "P1",
            "x",
            "agreed",
            [("a", Markup("yes")), ("b", Markup('&lt;no&gt; (<a class="cite" href="#m4">m4</a>)'))],
        )
    ]


@pytest.mark.parametrize(
    "value",
    [{}, {"scores": []}, {"scores": {"a": 3}}, {"points": {"a": 1}}, {"points": [3, {"positions": 4}]},
     {"scores": {"a": {"b": "7", "c": None, "d": True, "e": float("nan")}}}],
)  # fmt: skip
def test_other_shapes_break_nothing(value: dict[str, Any]) -> None:
    """What a format recorded otherwise is left out."""
    found = scores.view(value, lambda _seq: None)
    assert templating.part("ledger", found) is not None


def test_a_damaged_result_is_none(tmp_path: Path) -> None:
    """A result.json that is no JSON counts as none."""
    path = tmp_path / "result.json"
    path.write_text('{"scores": ')
    assert scores._of_file(path) == {}
    path.write_text('{"scores": {"a": {"b": 1}}, "else": 1}')
    assert scores._of_file(path) == {"scores": {"a": {"b": 1}}}

"""What sinks are told, and how their templates make posts of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rt_config import sinks
from rt_config.errors import BadConfigError
from rt_config.settings import load
from rt_config.sinks import Sink, Template
from rt_moderator.sinks import planning, receivers, rendering
from tests.snapshots import message, moment, seat, turn

OUTCOME: dict[str, Any] = {
    "result": "consensus", "status": "done", "consensus_pct": 80.0, "agreement": None, "validated": "yes", "rounds": 2,
    "stop_reason": "", "synthesis": "All agree.", "degraded": [],
}  # fmt: skip


def test_posts_follow_from_the_record() -> None:
    """S0.8: opening, questions of people (not of a format), answers with failures, syntheses, the end; the same again every time."""
    snapshot = moment(
        [seat("a", role="Skeptic")],
        [turn("a"), turn("a", step="m5"), turn("a", step="r1")],
        table={"state": "open"},
    )
    said = [
        message(1, "moderator", "Billing", "intent"),
        message(2, "moderator", "The format asks.", "intent"),
        message(3, "a", "No."),
        message(4, "system", "[TIMEOUT]", "system", turn="r1/a"),
        message(5, "moderator", "And refunds?", "intent"),
        message(6, "user", "Mind the 28th.", "note"),
        message(7, "moderator", "Small: m3.", "synthesis"),
        message(8, "a", "Too late.", "late"),
    ]
    posts = planning.planned(snapshot, said, {"outcome": OUTCOME, "at": 1_796_000_000_000})
    assert [(post.key, post.event) for post in posts] == [
        ("opening", "opening"), ("m3", "replies"), ("m4", "replies"), ("m5", "questions"), ("m6", "questions"),
        ("m7", "synthesis"), ("m8", "replies"), ("concluded", "concluded"),
    ]  # fmt: skip
    assert posts == planning.planned(snapshot, said, {"outcome": OUTCOME, "at": 1_796_000_000_000})
    few = Sink(name="x", type="file", path="x", events=("synthesis",), formats=("open",))
    assert [post.key for post in planning.wanted(posts, few)] == ["m7"]
    assert not planning.wanted(posts, few.model_copy(update={"formats": ("debate",)}))
    waiting = moment(
        [], table={"phase": "awaiting_synthesis", "asks": "a synthesis of round 1", "synthesis": "7"}
    )
    assert [(p.key, p.values["reason"]) for p in planning.planned(waiting, [])[1:]] == [
        ("asks/m7", "a synthesis of round 1")
    ]


@pytest.mark.parametrize("name", sinks.templates())
def test_every_template_says_every_post(name: str) -> None:
    """S0.8: no placeholder of a template that we ship is unknown, for any post."""
    renderer = rendering.Renderer(sinks.template(Sink(name="x", type="file", path="x", template=name)))
    snapshot = moment(
        [seat("a")], table={"gate": "g", "gate_options": '["stop"]', "stop_when": "done", "goal": "g"}
    )
    said = [message(2, "a", "Hm."), message(3, "u", "?", "note"), message(4, "moderator", "So.", "synthesis")]
    posts = planning.planned(snapshot, said, {"outcome": OUTCOME, "at": 1})
    assert {post.text for post in posts} == {"opening", "question", "reply", "synthesis", "gate", "concluded"}
    for post in posts:
        for text in renderer.texts(post):
            renderer.request(post, text, "token", None)


def test_words_of_others_cannot_ping_or_pass_for_markup() -> None:
    """S0.8: pings are broken, Slack's markup is escaped and bold is its own, in all values however deep; code stays."""
    assert rendering.safe({"a": ["@everyone <@1>"]}, "discord") == {"a": ["@\u200beveryone <\u200b@1>"]}
    slack = rendering.safe("## Why\n**All** <!channel> & @here\n```\na ** b **\n```", "slack")
    assert slack == "*Why*\n*All* &lt;!channel&gt; &amp; @\u200bhere\n```\na ** b **\n```"
    assert rendering.safe("red\x1b[31m\u202e", "plain") == "red[31m"


def test_the_examples_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 6: what docs/sinks.md shows is a configuration and a template that can be used."""
    page = (Path(__file__).parents[2] / "docs" / "sinks.md").read_text()
    configured, own = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    monkeypatch.setenv("RT_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text(configured)
    assert [sink.type for sink in load(tmp_path).sink] == ["webhook", "file", "command"]
    (tmp_path / "mine.toml").write_text(own)
    mine = Sink(name="x", type="file", path="x", template=str(tmp_path / "mine.toml"))
    renderer = rendering.Renderer(sinks.template(mine))
    post = planning.planned(moment([seat("a")]), [message(2, "a", "No.")])[1]
    request = renderer.request(post, renderer.texts(post)[0], "token", None)
    assert request.body == {
        "message": "a (m2): No.",
        "seats": [{"slug": "a", "role": "", "runs_on": "rehearsal"}],
    }


def test_a_mistake_in_a_template_is_named() -> None:
    """Issue 6: an unknown placeholder is an error, and never an empty place; so is a text that is missing."""
    post = planning.planned(moment([]), [])[0]
    for text in ({"opening": "{{ topik }}"}, {"opening": "{% if %}"}, {}):
        with pytest.raises(BadConfigError, match=r"topik|Syntax|text\.opening"):
            rendering.Renderer(Template.model_validate({"text": text})).texts(post)


def test_the_url_is_a_secret_and_sinks_are_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 6: no URL in errors, reprs or reasons; a working tree's rt.toml names no sinks; two of one name are refused."""
    secret = "https://user:hunter22@example.org/hooks/abcdefgh?key=ijklmnop"  # noqa: S105 (of nothing)
    config = tmp_path / "config.toml"
    monkeypatch.setenv("RT_CONFIG", str(config))
    one = f'[[sink]]\nname = "a"\ntype = "webhook"\nurl = "{secret}"\n'
    config.write_text(one)
    found = load(tmp_path)
    assert "hunter22" not in repr(found)
    assert found.sink[0].address() == secret
    assert receivers.place(found.sink[0]) == "https://example.org/…"
    hidden = receivers.hidden(f"refused by {secret}, /hooks/abcdefgh, ijklmnop and hunter22", secret)
    assert not any(word in hidden for word in ("abcdefgh", "ijklmnop", "hunter22"))
    for text in (one * 2, one.replace("https", "gopher"), '[[sink]]\nname = "a"\ntype = "file"\n'):
        config.write_text(text)
        with pytest.raises(BadConfigError) as caught:
            load(tmp_path).sink[0].address()
        assert "hunter22" not in str(caught.value)
    config.write_text("")
    (tmp_path / "rt.toml").write_text(one)
    with pytest.raises(BadConfigError, match="sink only counts in"):
        load(tmp_path)

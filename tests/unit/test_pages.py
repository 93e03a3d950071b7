"""A long turn over MCP comes in parts, and nothing of it is lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rt_participant import pages

TEXTS = st.integers(0, 20_000).map(lambda size: "".join(chr(97 + i % 23) for i in range(size)))


def turn(request: str, *bodies: str) -> dict[str, Any]:
    messages = [{"seq": seq, "body": body} for seq, body in enumerate(bodies, 1)]
    return {"turn": "m1/a", "request": request, "control": f"Task\n{request}\nRules", "messages": messages}


def test_a_short_turn_is_as_it_was() -> None:
    """S2.4: nothing is left out, and nothing is added, where it fits."""
    found = turn("Which cache?", "Which cache?", "## Position\nSmall.")
    assert pages.paged(found) == found
    assert pages.paged({"turn": None}) == {"turn": None}


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_the_parts_of_a_long_turn_are_all_of_it(request: str, bodies: list[str]) -> None:
    """S2.4: followed to the end, the parts give request and messages to the character, each within the bound."""
    whole, start = turn(request, *bodies), 0
    seen: dict[int, str] = {}
    for _ in range(20):
        part = pages.paged(whole, start)
        texts = [(0, part["request"]), *((one["seq"], one["body"]) for one in part["messages"])]
        if "next" in part or start:
            assert sum(len(text) for _, text in texts) <= pages.MOST
        for seq, text in texts:
            seen[seq] = seen.get(seq, "") + text
        if "next" not in part:
            break
        assert f"from={part['next']}" in part["more"]
        start = part["next"]
    assert seen[0] == request
    for seq, body in enumerate(bodies, 1):
        assert body in ("", request) or seen[seq] == body

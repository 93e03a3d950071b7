"""The permission rule by path, row by row."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from rt_participant.acp_rule import judge

INSIDE, OUTSIDE, RUN, ABOVE = "/w/target/a.py", "/elsewhere/a.py", "/home/tables/t/final.md", "/w"
PLACES: dict[str, list[str]] = {
    "none": [],
    "inside": [INSIDE],
    "outside": [OUTSIDE],
    "run folder": [RUN],
    "both": [OUTSIDE, INSIDE],
    "above": [ABOVE],
    "beside": ["/w/target2/a.py"],
}
FREE = {"read", "search", "fetch", "think", "execute"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "kind", [*sorted(FREE), "edit", "delete", "move", "other", "switch_mode", "unheard_of", None]
)
def test_the_rule(kind: str | None, place: str) -> None:
    """S2.16: each kind by each place; a changing call passes only when it names paths and all of them are outside."""
    protected = [PurePath("/w/target"), PurePath("/home/tables/t")]
    found = judge(kind, [PurePath(path) for path in PLACES[place]], protected)
    changes = kind in {"edit", "delete", "move", "other"} and place in {"outside", "beside"}
    assert found.allowed == (kind in FREE or changes)
    assert found.why

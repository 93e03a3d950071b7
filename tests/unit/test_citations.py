"""Message numbers in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.citations import cited, unknown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as m12 says", [12]),
        ("m3, m1 and m3 again", [3, 1]),
        ("(m4) [m5] **m6** m7.", [4, 5, 6, 7]),
        ("m12–m14", [12, 14]),
        ("10m5 am5 m5a m5_b m05 m0 m", []),
        ("path/m5 x.m5 a-m5", []),
        ("M5 is not a citation", []),
        ("m1234567890", [1234567890]),
        ("```\nm1\n```\nm2", [2]),
        ("~~~ python\nm1\n~~~\nm2", [2]),
        ("```\nm1\n~~~\nm2\n```\nm3", [3]),
        ("````\nm1\n```\nm2\n````\nm3", [3]),
        ("```\nm1 in a fence without end", []),
        ("inline `m8` counts", [8]),
    ],
)
def test_what_is_cited(text: str, found: list[int]) -> None:
    """Numbers that stand alone, once each, in order of first mention; what is fenced as code does not count."""
    assert cited(text) == found


def test_what_is_unknown() -> None:
    """S4.19: only what lies above the record's end does not exist."""
    assert unknown("m1 m4 m5 m9", 4) == [5, 9]
    assert unknown("m1 m4", 4) == []
    assert unknown("m1", 0) == [1]


@given(st.text(alphabet="m0123456789 `~\nx", max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    """Every text gives distinct positive numbers."""
    found = cited(text)
    assert len(set(found)) == len(found)
    assert all(n > 0 for n in found)

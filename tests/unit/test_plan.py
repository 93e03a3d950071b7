"""Who sits at a table, before it exists."""

from __future__ import annotations

import pytest

from rt_config.errors import BadConfigError, BadSlugError
from rt_moderator.plan import DEFAULT_FIVE, SeatPlan, checked, default_seats, same_family, with_texts


def test_the_default_five_spread_over_the_profiles() -> None:
    """S4.11: five seats with role and viewpoint, neighbours on different profiles when there are two."""
    seats = default_seats(["claude", "codex"])
    assert [seat.slug for seat in seats] == [slug for slug, _, _ in DEFAULT_FIVE]
    assert [seat.profile for seat in seats] == ["claude", "codex", "claude", "codex", "claude"]
    assert all(seat.role and seat.viewpoint and seat.name for seat in seats)
    assert checked(seats) == seats


def test_roles_and_viewpoints_are_put_on_their_seats() -> None:
    """S4.11: --role and --viewpoint change one seat each; a role also names a seat that has no name."""
    seats = [SeatPlan("a"), SeatPlan("b", name="Bea")]
    found = with_texts(seats, {"a": "Skeptic", "b": "Builder"}, {"b": "costs"})
    assert [(s.name, s.role, s.viewpoint) for s in found] == [
        ("Skeptic", "Skeptic", ""),
        ("Bea", "Builder", "costs"),
    ]


@pytest.mark.parametrize("option", ["role", "viewpoint"])
def test_a_text_for_nobody_is_refused(option: str) -> None:
    """A slug that is not planned is named, with the option that holds it."""
    texts = {"nobody": "x"}
    with pytest.raises(BadConfigError, match=rf"--{option} nobody=…: no seat is called nobody"):
        with_texts([SeatPlan("a")], texts if option == "role" else {}, texts if option == "viewpoint" else {})


@pytest.mark.parametrize(
    "slug", ["", "..", "a b", "a:b", "ünï", "a--b", "A", "-a", "_a", "a/b", "a\n", "x" * 33, "a\x00"]
)
def test_bad_slugs_are_refused(slug: str) -> None:
    """Slugs become parts of paths and session names: anything else than [a-z0-9][a-z0-9_-]* is refused."""
    with pytest.raises(BadSlugError):
        checked([SeatPlan(slug)])


def test_the_same_seat_twice_is_refused() -> None:
    """No slug is given twice."""
    with pytest.raises(BadConfigError, match="seat a: given twice"):
        checked(with_texts([SeatPlan("a"), SeatPlan("a")], {"a": "Skeptic"}, {}))


def test_the_same_role_twice_is_refused() -> None:
    """S3.4: two seats with the same role text are one voice; case and spaces make no difference, a viewpoint does."""
    with pytest.raises(BadConfigError, match="seat b: has the same role as a"):
        checked([SeatPlan("a", role="The Skeptic"), SeatPlan("b", role="the  skeptic")])
    other = [SeatPlan("a", role="Skeptic", viewpoint="cost"), SeatPlan("b", role="Skeptic", viewpoint="time")]
    assert checked(other) == other
    without = [SeatPlan("a"), SeatPlan("b")]
    assert checked(without) == without


def test_nobody_is_no_table() -> None:
    """A table needs at least one seat."""
    with pytest.raises(BadConfigError, match="at least one"):
        checked([])


def test_seats_of_one_family_are_named() -> None:
    """A seat that shares its family with an earlier one says so; a profile without family is its own."""
    seats = [SeatPlan("a", profile="p"), SeatPlan("b", profile="q"), SeatPlan("c", profile="r")]
    assert same_family(seats, {"p": "one", "q": "one", "r": ""}) == {"b": "a"}

"""The doctor and the check before round 1 with the real CLIs: a bad key is found for one tiny call, a good one is not blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rt_config.settings import Settings
from rt_moderator import checking, checks_profiles, doctor
from rt_moderator.plan import SeatPlan
from tests.agents.conftest import PACKAGES, configured, model_of
from tests.agents.stub_model import StubModel

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]
# kimi: nothing keeps it from writing, so it is never asked read-only. opencode takes its model from the seat.
ASKED = [cli for cli in PACKAGES if cli not in ("kimi", "opencode")]


@pytest.mark.parametrize("cli", ASKED)
def test_the_doctor_tells_a_good_key_from_a_bad_one(cli: str, model: StubModel, agent_home: Path) -> None:
    """S2.12: version, answer and transport in one line; after a 401 the fix of the profile."""
    own = configured(model)[cli]
    own.setdefault("args", [])
    settings = Settings(profiles={cli: own})
    parts = {cli: checks_profiles.parts(settings, prompt=True, timeout_s=90)[cli]}
    (good,) = doctor.examine(settings, given=parts)
    assert good.level == "ok", good
    assert f"{PACKAGES[cli].split()[0].rpartition('@')[2]}, answers on headless in" in good.text
    model.status = 401
    (bad,) = doctor.examine(settings, given=parts)
    assert (bad.level, bool(bad.fix)) == ("fail", True), bad
    assert "is not logged in" in bad.text


@pytest.mark.parametrize("cli", ["claude", "opencode"])
def test_a_seat_with_a_bad_key_is_left_out(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.12, S3.8: with a model of its own; the scripted seat stays."""
    settings = Settings(profiles=configured(model))
    seats = [SeatPlan("a", profile=cli, model=model_of(cli)), SeatPlan("b", profile="rehearsal")]
    found = checking.checked(seats, settings, cwd=str(tmp_path))
    assert ([seat.slug for seat in found.kept], list(found.changes)) == (["a", "b"], [])
    model.status = 401
    found = checking.checked(seats, settings, cwd=str(tmp_path))
    assert [seat.slug for seat in found.kept] == ["b"]
    (gone,) = found.changes
    assert (gone["seat"], "is not logged in" in gone["why"]) == ("a", True), gone
    assert not [name for name in tmp_path.iterdir() if name.name != "home"]

"""`rt doctor` and the agent CLIs: small programs on PATH that stand for them, as profiles of the user's own."""

from __future__ import annotations

import signal

from tests.cli.shop import Shop
from tests.cli.world import World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import eventually


def test_every_installed_cli_is_asked_and_each_failure_has_its_fix(world: World) -> None:
    """S2.12: version against the tested ones, a one-line prompt, and the fix that the profile names; nothing is left running."""
    shop = Shop(world)
    shop.install("good", "cat >/dev/null; echo OK")
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1")
    shop.install("spent", "cat >/dev/null; echo 'Error: insufficient_quota' >&2; exit 1")
    shop.install("stuck", f"{world.program('nap', 'exec sleep 300')[1:]}")
    shop.install("old", "cat >/dev/null; echo OK", version="0.9.1")
    shop.install("modern", "echo 'no such model: best' >&2; exit 1")
    shop.text += (
        '[[profiles.modern.failures]]\nkind = "model"\nmatch = ["no such model"]\nfix = "take another"\n'
    )
    world.configure(shop.text)
    found = shop.found("--timeout", "2.5")
    assert found["good"][:2] == ("ok", "1.2.3, answers on headless in 0 s")
    assert found["keyless"] == ("fail", "1.2.3, keyless is not logged in (not signed in)", "keyless login")
    assert (found["spent"][0], "quota" in found["spent"][1], "credit" in found["spent"][2]) == (
        "fail",
        True,
        True,
    )
    assert found["stuck"][1] == "1.2.3, stuck did not answer within 2.5 s"
    assert (found["old"][0], found["old"][2]) == ("warn", "get old")
    assert "older than 1.2.0" in found["old"][1]
    assert found["modern"][2] == "take another"
    assert "installed: good, keyless" in found["agents"][1]
    assert not world.processes("sleep 300")


def test_without_a_prompt_nothing_is_paid(world: World) -> None:
    """S2.12: --no-prompt looks at versions only, and the help says what the prompt costs."""
    shop = Shop(world)
    shop.install("good", f"touch {world.work}/asked; echo OK")
    assert shop.found("--no-prompt")["good"][:2] == ("ok", "1.2.3, not asked")
    assert not (world.work / "asked").exists()
    assert "one tiny call per installed agent CLI" in " ".join(world.text("doctor", "--help").split())


def test_an_interrupted_doctor_leaves_nothing(world: World) -> None:
    """A signal while a CLI is asked: its processes go with the doctor, which says that it was interrupted by its exit status."""
    shop = Shop(world)
    shop.install("stuck", f"touch {world.work}/up; {world.program('nap', 'exec sleep 300')[1:]}")
    for number in (signal.SIGTERM, signal.SIGINT):
        (world.work / "up").unlink(missing_ok=True)
        doctor = world.popen("doctor", env={"PATH": shop.path})
        eventually((world.work / "up").exists, what="the call")
        doctor.send_signal(number)
        assert doctor.wait(10) in (128 + number, -number)
        assert not world.processes("sleep 300")


def test_a_profile_that_does_not_read_hides_nothing(world: World) -> None:
    """S1.27: a broken profile is one finding; the rest is looked at all the same."""
    world.configure('[profiles.bad]\nfamily = "x"\nheadless = { start = [] }\n')
    found = Shop(world).found()
    assert (found["profiles"][0], "profiles.bad" in found["profiles"][1]) == ("fail", True)
    assert found["tmux"][0] == "ok"

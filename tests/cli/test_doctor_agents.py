"""`rt doctor` and the agent CLIs: small programs on PATH that stand for them, as profiles of the user's own."""

from __future__ import annotations

import json
import os
import signal

from tests.cli.world import World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import eventually

PROFILE = """
[profiles.{name}]
description = "{name}"
family = "{name}"
agent = true
executable = "{name}"
install = "get {name}"
login = "{name} login"
auth_failure = ["not signed in"]
tested = ["1.2.0"]
argv = []
[profiles.{name}.headless]
start = ["{{executable}}"]
"""
ANSWERS = 'case "$1" in --version) echo "{name} v{version} (x)";; *) {body};; esac'


class Shop:
    """Agent CLIs that are installed."""

    def __init__(self, world: World) -> None:
        self.world, self.text = world, ""
        self.path = f"{world.work}{os.pathsep}{os.environ['PATH']}"

    def install(self, name: str, body: str, version: str = "1.2.3", more: str = "") -> None:
        self.world.program(name, ANSWERS.format(name=name, version=version, body=body))
        self.text += PROFILE.format(name=name) + more
        self.world.configure(self.text)

    def found(self, *args: str) -> dict[str, tuple[str, str, str]]:
        done = self.world.run("doctor", "--json", *args, env={"PATH": self.path})
        assert "Traceback" not in done.stderr
        said = json.loads(done.stdout)
        return {one["check"]: (one["level"], one["text"], one["fix"]) for one in said["findings"]}


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

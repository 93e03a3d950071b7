"""Agent CLIs that are installed: small programs on a PATH of their own, as profiles of the user's."""

from __future__ import annotations

import json
import os

from tests.cli.world import World

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

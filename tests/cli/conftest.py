"""The world of the command-line tests."""

from tests.cli.world import world_of_its_own  # noqa: F401

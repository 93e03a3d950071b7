"""Where one agent CLI reads skills: what a profile's `[skill]` table may say."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, model_validator


class SkillPlace(BaseModel):
    """A person's skills are below `home`, those of a working tree below `project`; one file a skill."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    home: str  # the folder of the CLI's own things, with ~
    home_env: str = ""  # a variable that, when set, names that folder instead
    user: str = "skills"  # below home
    project: str = ""  # below a working tree; empty: it reads none there
    project_note: str = ""  # what else it takes before the CLI reads those of a working tree
    file: str = "{name}/SKILL.md"
    front_matter: bool = True  # false: a plain text, such as a command file
    head: str = ""  # more lines of front matter, for both skills
    moderator_head: str = ""  # and for the moderator's alone: the hook that wakes it

    @model_validator(mode="after")
    def _stays_inside(self) -> SkillPlace:
        if "{name}" not in self.file:
            msg = "file needs {name}, or one skill would overwrite the other"
            raise ValueError(msg)
        for path in (self.user, self.project, self.file):
            if Path(path).is_absolute() or ".." in Path(path).parts:
                msg = f"{path} leaves the folder it belongs to"
                raise ValueError(msg)
        return self

    def folder(self, tree: Path | None) -> Path | None:
        """Where skills are read from: in that working tree, else the person's; None when it reads none in a tree."""
        if tree is not None:
            return tree / self.project if self.project else None
        named = os.environ.get(self.home_env, "") if self.home_env else ""
        return Path(named or self.home).expanduser() / self.user

"""docs/errors.md and the docstring's tree against the error classes."""

from __future__ import annotations

import re

import rt_config.errors as tree
from tests import errors_doc


def test_the_page_has_every_error_code() -> None:
    """Each class with its code, exit code, meaning and fix, as the code has them now (`python -m tests.errors_doc`)."""
    assert errors_doc.PAGE.read_text(encoding="utf-8") == errors_doc.page()


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """Every class but the branches is drawn once, with its code, and exported."""
    drawn = dict(re.findall(r"── (\w+Error) +([a-z_]+)\b(?! 2)", tree.__doc__ or ""))
    leaves = {cls.__name__: code for code, cls in tree.all_errors().items()}
    branches = {
        "RoundtableError",
        *(b for b in leaves if b not in drawn and f"─ {b}" in (tree.__doc__ or "")),
    }
    assert {name: code for name, code in drawn.items() if name in leaves and name not in branches} == {
        name: code for name, code in leaves.items() if name not in branches and name != "UsageError"
    }
    assert set(leaves) <= set(tree.__all__)


def test_every_code_is_one_class() -> None:
    """Two classes with one code would hide each other."""
    classes: list[type[tree.RoundtableError]] = [tree.RoundtableError]
    for cls in classes:
        classes.extend(cls.__subclasses__())
    codes = [cls.error_code for cls in classes]
    assert sorted(codes) == sorted(set(codes))

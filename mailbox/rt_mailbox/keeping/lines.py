r"""The file format of exports, archives and backups: JSON Lines, checksummed.

    {"roundtable":"table","format":1,…}         what the file is: table, archive or backup
    {"space":"rt-…","table":"rt-…",…}           one space begins: schema, epoch, clock, group, directory entry, counts
    {"message":1,"group":"group/…","fields":{}}    the record in order of seq
    {"hash":"turn:m1/a","fields":{}}            every other key by its name in `keys`; also {"set":…,"members":[]} and
    {"zset":"turns","scores":{}}                {"zset":…,"scores":{}}
    {"event":"1796…-0","fields":{}}             the table's events in order
    {"end":42,"sha256":"…"}                     how many lines came before, and their checksum

Text is as the bus keeps it; a byte that is not UTF-8 stands as the escape \udc80 to \udcff. A file is used only when it is
whole: `verify` reads all of it before anything is written.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from rt_config.errors import DamagedFileError, SchemaNewerError
from rt_mailbox.keys import SCHEMA

Line = dict[str, Any]
FORMAT = 1
WHAT = frozenset({"table", "archive", "backup"})
_LONGEST_LINE = 1 << 29  # bytes; a body is 1 MiB, a whole hash of keys some


class Writer:
    """Writes lines and their checksum into `file`."""

    def __init__(self, file: BinaryIO, what: str, **about: str) -> None:
        self._file = file
        self._sha = hashlib.sha256()
        self.count = 0
        self.write({"roundtable": what, "format": FORMAT, **about})

    def write(self, line: Line) -> None:
        """Write one line."""
        raw = _encoded(line)
        self._sha.update(raw)
        self._file.write(raw)
        self.count += 1

    def end(self) -> str:
        """Write the last line; the checksum."""
        found = self._sha.hexdigest()
        self._file.write(_encoded({"end": self.count, "sha256": found}))
        return found


@dataclass
class Section:
    """One space of a file: the line that begins it, where that is, and the checksum of all its lines."""

    header: Line
    offset: int
    sha256: str = ""


@dataclass
class Contents:
    """What a whole file holds."""

    what: str = ""
    sha256: str = ""
    spaces: list[Section] = field(default_factory=list)


def read(file: BinaryIO, path: str, contents: Contents | None = None) -> Iterator[tuple[int, bytes, Line]]:
    """Every line between the first and the last: where it begins, its bytes, and what it says.

    Raises:
        DamagedFileError: not one of ours, cut, or changed; at the latest after the last line was given.
        SchemaNewerError: a newer format.
    """
    sha, count, offset = hashlib.sha256(), 0, 0
    while True:
        raw = file.readline(_LONGEST_LINE)
        line = _parsed(raw, path, count)
        if "end" in line:
            break
        if count:
            yield offset, raw, line
        else:
            what = _first(line, path)
            if contents:
                contents.what = what
        sha.update(raw)
        count, offset = count + 1, offset + len(raw)
    if not count or raw != _encoded({"end": count, "sha256": sha.hexdigest()}):
        raise DamagedFileError(path=path, reason="its checksum does not fit")
    if file.read(1):
        raise DamagedFileError(path=path, reason="something comes after its end")
    if contents:
        contents.sha256 = sha.hexdigest()


def verify(file: BinaryIO, path: str) -> Contents:
    """Read the whole file once.

    Raises:
        DamagedFileError, SchemaNewerError: it must not be used.
    """
    contents, tally, sha = Contents(), _Tally(path), hashlib.sha256()
    file.seek(0)
    for offset, raw, line in read(file, path, contents):
        tally.add(line)
        if "space" in line:
            _close(contents, sha.hexdigest())
            contents.spaces.append(Section(line, offset))
            sha = hashlib.sha256()
        sha.update(raw)
    tally.close()
    _close(contents, sha.hexdigest())
    return contents


def _close(contents: Contents, sha256: str) -> None:
    if contents.spaces:
        contents.spaces[-1].sha256 = sha256


def of_section(file: BinaryIO, path: str, section: Section) -> Iterator[Line]:
    """The lines of one space of a file that `verify` has read, its header not among them.

    Raises:
        DamagedFileError: at the end, when these are not the bytes that were verified.
    """
    file.seek(section.offset)
    raw = file.readline(_LONGEST_LINE)
    sha, count = hashlib.sha256(raw), 0
    while True:
        raw = file.readline(_LONGEST_LINE)
        line = _parsed(raw, path, count)
        if "space" in line or "end" in line:
            break
        sha.update(raw)
        count += 1
        yield line
    if sha.hexdigest() != section.sha256:
        raise DamagedFileError(path=path, reason="it was changed while it was read")


class _Tally:
    """Holds the lines of a file against what its spaces say they hold."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._space: Line | None = None
        self._found: Counter[str] = Counter()

    def add(self, line: Line) -> None:
        if "space" in line:
            self.close()
            self._open(line)
            return
        if self._space is None:
            raise DamagedFileError(path=self._path, reason="a line before the first space")
        self._count(line)

    def close(self) -> None:
        """The space ends here."""
        if self._space is None:
            return
        wanted = {name: self._space[name] for name in ("messages", "events", "keys")}
        if {name: self._found[name] for name in wanted} != wanted:
            raise DamagedFileError(path=self._path, reason=f"{self._space['space']} is not whole")

    def _open(self, line: Line) -> None:
        numbers = ("messages", "events", "keys")
        texts = ("space", "schema", "epoch", "clock")
        if not all(isinstance(line.get(n), int) for n in numbers) or not all(
            isinstance(line.get(n), str) for n in texts
        ):
            raise DamagedFileError(path=self._path, reason="a space without its numbers")
        if int(line["schema"]) > int(SCHEMA):
            raise SchemaNewerError(space=line["space"], found=line["schema"], known=SCHEMA)
        self._space, self._found = line, Counter()

    def _count(self, line: Line) -> None:
        kind = next(iter(line), "")
        held = line.get(_HOLDS.get(kind, ""))
        texts = list(held) + list(held.values() if isinstance(held, dict) else ()) if held else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise DamagedFileError(path=self._path, reason=f"a line of an odd kind: {kind[:40]!r}")
        if kind == "message":
            group = f"seq of {line.get('group')}"
            self._found[group] += 1
            if self._found[group] != line["message"]:
                raise DamagedFileError(path=self._path, reason=f"m{self._found[group]} is missing")
        self._found[{"message": "messages", "event": "events"}.get(kind, "keys")] += 1


_HOLDS = {"message": "fields", "event": "fields", "hash": "fields", "set": "members", "zset": "scores"}


def _encoded(line: Line) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _parsed(raw: bytes, path: str, count: int) -> Line:
    if not raw.endswith(b"\n"):
        reason = f"it is cut after line {count}" if count or raw else "it is empty"
        raise DamagedFileError(path=path, reason=reason)
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError) as exc:
        raise DamagedFileError(path=path, reason=f"line {count + 1} does not parse") from exc
    if not isinstance(line, dict):
        raise DamagedFileError(path=path, reason=f"line {count + 1} is no object")
    return line


def _first(line: Line, path: str) -> str:
    what, format_ = line.get("roundtable"), line.get("format")
    if what not in WHAT or not isinstance(format_, int):
        raise DamagedFileError(path=path, reason="it is no file of roundtable")
    if format_ > FORMAT:
        raise SchemaNewerError(space=path, found=format_, known=FORMAT)
    return str(what)

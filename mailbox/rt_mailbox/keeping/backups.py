"""The whole bus as one file, while it is in use, and back: `rt bus backup` and `rt bus restore`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from rt_config.errors import DamagedFileError, TableExistsError
from rt_mailbox.keeping import exporting, lines, schema
from rt_mailbox.keeping.moments import Moment, same
from rt_mailbox.keeping.progress import silent, told

if TYPE_CHECKING:
    from rt_mailbox.client import RedisDoor
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.lines import Line, Section
    from rt_mailbox.keeping.progress import Say


@dataclass
class Backup:
    """What a backup holds, or what a restore did: spaces by name; `same` were there already, just so."""

    spaces: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    messages: int = 0
    sha256: str = ""


def backup(door: Door, spaces: Iterable[str], file: BinaryIO, say: Say = silent) -> Backup:
    """Write these spaces into `file`, each as it is at one moment of its own, seats' tokens included.

    Guarantees: consistent within a space; between two spaces nothing is, as nothing is atomic across spaces.
    """
    out, made = lines.Writer(file, "backup"), Backup()
    for space in sorted(spaces):
        moment = Moment(door, space)
        header = moment.header(None) | {"tables": moment.hash("directory")}
        out.write(header)
        for line in told(moment.lines(), exporting.size(header), f"writing {space}", say):
            out.write(line)
        made.spaces.append(space)
        made.messages += header["messages"]
    made.sha256 = out.end()
    return made


def restore(
    door: Door, home: str, file: BinaryIO, path: str, *, force: bool = False, say: Say = silent
) -> Backup:
    """Bring every space of a backup back; what else the bus holds stays. `home` is where addresses are asked for mail.

    Guarantees: each space whole or not at all; a space that is just so is left alone, and so is one that this file was
    restored into before, unless `force`: killed half way, the same restore goes on. Readers' receipts from before move
    no cursor (the epoch rises), and a host from before is refused.

    Raises:
        DamagedFileError, SchemaNewerError, TableExistsError (without `force`: a space that differs): nothing was changed.
    """
    contents = lines.verify(file, path)
    if contents.what != "backup":
        raise DamagedFileError(path=path, reason="it is one table (rt import), not a backup")
    done = Backup(sha256=contents.sha256)
    plan = [(section, _over(door, section, file, path, done, force=force)) for section in contents.spaces]
    for section, over in plan:
        header, space = section.header, section.header["space"]
        if over:
            found = exporting.section_lines(file, path, section, say)
            exporting.put(door, header, found, contents.sha256, over, bump=True)
        _merge(door, header)
        exporting.elsewhere(door, home, header)
        schema.migrate(door, space)
        (done.spaces if over else done.same).append(space)
        done.messages += header["messages"]
    return done


def _over(door: Door, section: Section, file: BinaryIO, path: str, done: Backup, *, force: bool) -> str:
    """What the space is to be put over: nothing, all, or '' when it is to be left alone."""
    header, space = section.header, section.header["space"]
    schema.migrate(door, space)
    if exporting.size(header) <= 1:
        return ""  # nothing but the space's own numbers
    moment = Moment(door, space)
    if moment.empty:
        return "nothing"
    again = moment.hash("space").get("from_file") == done.sha256
    if (again and not force) or same(moment, lines.of_section(file, path, section)):
        return ""
    if not force:
        raise TableExistsError(table=space)
    return "all"


def _merge(door: Door, header: Line) -> None:
    """Tables of the backup into the directory; those that are there only now stay."""
    for table, text in sorted(header.get("tables", {}).items()):
        door.script("directory_set", header["space"], table, text)


def spaces_of(door: RedisDoor) -> list[str]:
    """Every space of the bus. Looks at each key's name once, in small steps."""
    return sorted({name[len("rt:{") :].partition("}")[0] for name in door.names("rt:{*")})

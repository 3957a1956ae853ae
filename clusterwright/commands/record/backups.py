"""The record in one file: writing a backup, and bringing it back."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright import __version__
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import DamagedOption, JsonOption
from clusterwright.output import Document, clean, print_json, say
from ledger.machine_time import machine_time
from ledger.private import close_tree, private_files
from ledger.trust.archive import Contents
from ledger.trust.backup import back_up
from ledger.trust.backup import restore as bring_back


def backup(
    ask: Asking,
    file: Annotated[Path, Argument(help="A new file: NAME.tar.gz, or NAME.tar.zst where zstd is installed.")],
    damaged: DamagedOption = False,
) -> None:
    """Write the record to one file, while others go on.

    The file holds ledger, evidence, site.yaml and catalog/. It is unpacked aside and audited.

    Example:
        clusterwright backup /srv/backups/site.tar.gz

    """
    folder = ask.folder
    say(f"copying {folder}; the copy is then unpacked aside and audited")
    with private_files():
        made = back_up(folder, file, made_at=machine_time(), program=__version__, damaged=damaged)
    for name in made.left_out:
        say(f"left out: {name}")
    if (folder / "inventory").exists():
        say("left out: inventory/, which may hold secrets")
    _say_who_is_named(made.redacted_but_named)
    if ask.as_json:
        said = made.contents._asdict() | {"size": made.size, "left_out": made.left_out}
        said |= {"redacted_but_named": made.redacted_but_named}
        print_json(said | {"file": file, "findings": list(made.findings)})
    else:
        print(_summed_up(made.contents, len(made.findings), file, f"{made.size:,} bytes"))


def restore(
    file: Annotated[Path, Argument(help="A backup.")],
    folder: Annotated[Path, Argument(help="A new or empty folder.")],
    damaged: DamagedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a backup back into an empty folder.

    It is audited, and what does not match leaves nothing behind.

    Example:
        clusterwright restore /srv/backups/site.tar.gz my-site

    """
    with private_files():
        made = bring_back(file, folder, damaged=damaged)
    close_tree(folder / "evidence")
    _say_who_is_named(made.redacted_but_named)
    if made.named:
        say(f"it names {len(made.named)} people: redact again those who were redacted after event {made.contents.seq}")
    if as_json:
        named: Document = {"named": made.named, "redacted_but_named": made.redacted_but_named}
        named |= {"folder": folder, "findings": list(made.findings)}
        print_json(made.contents._asdict() | named)
        return
    print(_summed_up(made.contents, len(made.findings), folder, f"made {made.contents.made_at}"))
    say("compare it with an anchor by `clusterwright audit --anchor`; go on with one of the two sites only")


def _summed_up(contents: Contents, findings: int, path: Path, detail: str) -> str:
    """Return what a backup holds, in two lines."""
    mark = "REHEARSAL: " if contents.rehearsal else ""
    first = clean(f"{mark}{path}: {contents.files} files, {detail}")
    return f"{first}\nevent {contents.seq}, head {contents.hash}, {findings} findings"


def _say_who_is_named(redacted: tuple[str, ...]) -> None:
    """Say whose redacted name is still in the site file, which is kept as it is."""
    if redacted:
        say(f"site.yaml in it still names who was redacted: {', '.join(redacted)}; the id is enough there")

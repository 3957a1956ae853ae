"""`clusterwright backup` and `restore`: the record put away while the engine runs, and brought back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption

if TYPE_CHECKING:
    from ledger.trust.archive import Contents

DamagedOption = Annotated[bool, typer.Option("--damaged", help="Go on even if the audit of the copy finds faults.")]


def backup(
    file: Annotated[Path, typer.Argument(help="A new file: NAME.tar.gz, or NAME.tar.zst where zstd is installed.")],
    damaged: DamagedOption = False,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write ledger, evidence, site.yaml and catalog/ to one file, while others write; the file is audited."""
    from datetime import UTC, datetime

    from clusterwright import __version__
    from clusterwright.output import clean, print_json, say
    from clusterwright.where import find_site
    from ledger.trust.backup import back_up

    folder = find_site(site)
    say(f"copying {folder}; the copy is then unpacked aside and audited")
    made = back_up(folder, file, made_at=datetime.now(UTC), program=__version__, damaged=damaged)
    for name in made.left_out:
        say(f"left out: {name}")
    if (folder / "inventory").exists():
        say("left out: inventory/, which may hold secrets")
    _say_who_is_named(made.redacted_but_named)
    if as_json:
        said = made.contents._asdict() | {"size": made.size, "left_out": made.left_out}
        said |= {"redacted_but_named": made.redacted_but_named}
        print_json(said | {"file": file, "findings": list(made.findings)})
        return
    print(clean(f"{_mark(made.contents)}{file}: {made.contents.files} files, {made.size:,} bytes"))
    print(f"event {made.contents.seq}, head {made.contents.hash}, {len(made.findings)} findings")


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    damaged: DamagedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a backup back into an empty folder, audited; what does not match leaves nothing behind."""
    from clusterwright.output import clean, print_json, say
    from ledger.trust.backup import restore as bring_back

    made = bring_back(file, folder, damaged=damaged)
    _say_who_is_named(made.redacted_but_named)
    if made.named:
        say(f"it names {len(made.named)} people: redact again whoever was redacted after event {made.contents.seq}")
    if as_json:
        named = {"named": made.named, "redacted_but_named": made.redacted_but_named}
        print_json(made.contents._asdict() | named | {"folder": folder, "findings": list(made.findings)})
        return
    print(clean(f"{_mark(made.contents)}{folder}: {made.contents.files} files, made {made.contents.made_at}"))
    print(f"event {made.contents.seq}, head {made.contents.hash}, {len(made.findings)} findings")
    say("hold it against an anchor with `clusterwright audit --anchor`; go on with one of the two sites only")


def _say_who_is_named(redacted: tuple[str, ...]) -> None:
    """Say where a name that was redacted goes on in the site file, which is kept as it stands."""
    from clusterwright.output import say

    if redacted:
        say(f"site.yaml in it still names who was redacted: {', '.join(redacted)}; the id is enough there")


def _mark(contents: Contents) -> str:
    return "REHEARSAL: " if contents.rehearsal else ""

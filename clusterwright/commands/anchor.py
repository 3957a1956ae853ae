"""`clusterwright anchor`: the ledger's head, published where whoever can rewrite the ledger cannot reach."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from ledger.questions.site import site_of
from ledger.reading import open_snapshot


def anchor(
    file: Annotated[
        Path | None, typer.Option("--file", help="Append it to this file as a line of JSON.", metavar="FILE")
    ] = None,
    git: Annotated[
        Path | None,
        typer.Option(
            "--git", help="Add it to the git note on this repository's HEAD (refs/notes/clusterwright).", metavar="REPO"
        ),
    ] = None,
    trailer: Annotated[bool, typer.Option("--trailer", help="Print a trailer for a commit message only.")] = False,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Publish the ledger's head: to a file, a git repository, or as a code that can be read over the telephone."""
    from clusterwright.output import clean, print_json, say
    from clusterwright.where import find_site
    from ledger.trust.anchor_git import add_note
    from ledger.trust.anchors import head_anchor, keep, remember

    folder = find_site(site)
    head = head_anchor(folder)
    with open_snapshot(folder) as reader:
        mark = "REHEARSAL: " if site_of(reader).rehearsal else ""
    if file is not None:
        say(f"{file}: {'written' if keep(file, head) else 'stands there already'}")
    if git is not None:
        say(f"{git}: {'noted on HEAD' if add_note(git, head) else 'stands on HEAD already'}")
    remember(folder, head)
    if as_json:
        said = {"site": head.site, "seq": head.seq, "hash": head.hash, "time": head.time, "code": head.code}
        print_json(said | {"trailer": head.trailer, "rehearsal": bool(mark)})
    elif trailer:
        print(clean(head.trailer))
    else:
        print(f"{mark}event {head.seq}, recorded {head.time:%Y-%m-%d %H:%M:%S}Z")
        print(f"hash  {head.hash}")
        print(f"code  {head.code}")

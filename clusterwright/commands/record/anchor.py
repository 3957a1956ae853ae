"""Publish the ledger's head where nobody can rewrite it.

It goes to a file or to a git repository, or is printed. `audit --anchor` then finds a ledger that was cut off or rewritten since.

Example:
    clusterwright anchor --file /srv/anchors.jsonl
    clusterwright anchor --trailer

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import clean, print_json, say
from ledger.questions.site import site_of
from ledger.trust.anchor_git import add_note
from ledger.trust.anchors import head_anchor, keep, remember
from steps.stamps import minute


def anchor(
    ask: Asking,
    file: Annotated[Path | None, Option(help="Append it to this file as a line of JSON.", metavar="FILE")] = None,
    git: Annotated[
        Path | None,
        Option(
            "--git", help="Add it to the git note on this repository's HEAD (refs/notes/clusterwright).", metavar="REPO"
        ),
    ] = None,
    trailer: Annotated[bool, Option("--trailer", help="Print a trailer for a commit message only.")] = False,
) -> None:
    with ask.record() as snapshot:
        site = site_of(snapshot)
    head = head_anchor(snapshot.site_dir)
    if file is not None:
        say(f"{file}: {'written' if keep(file, head) else 'is there already'}")
    if git is not None:
        say(f"{git}: {'noted on HEAD' if add_note(git, head) else 'is on HEAD already'}")
    remember(snapshot.site_dir, head)
    if ask.as_json:
        named = {name: getattr(head, name) for name in ("site", "seq", "hash", "time", "trailer")}
        print_json(named | {"rehearsal": site.rehearsal})
    elif trailer:
        print(clean(head.trailer))
    else:
        mark = "REHEARSAL: " if site.rehearsal else ""
        print(f"{mark}event {head.seq}, recorded {minute(head.time, site.time_zone)}")
        print(f"hash  {head.hash}")

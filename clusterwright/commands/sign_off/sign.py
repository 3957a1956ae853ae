"""Approve finished work, or pass a gate.

Its policy says which roles may, how many people must, and which evidence it needs first: `clusterwright show` prints it. Who did the
work may not approve it. `clusterwright reject` sends it back.

Where a signature is wanted, it is made with your SSH key; --export writes the statement to be signed on another machine, and
--import records it once it is signed.

Example:
    clusterwright sign 034@pod-001 --comment 'seen at the rack'
    clusterwright sign 034@pod-001 --export statement.json
    clusterwright sign --import statement.json

"""

from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.patterns import matching_activities
from clusterwright.output import say
from clusterwright.where import find_site
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.sign_off.kinds import signed
from ledger.trust.signed_decisions import export as write_statement
from ledger.writing import Ledger
from schedule.errors import InputError
from schedule.text import require_visible

LARGEST = 16 * 1024 * 1024
"""The most bytes of a statement. The largest lists a thousand files of evidence, and has a few hundred thousand."""


def sign(
    me: SigningReport,
    activities: Annotated[
        list[str] | None, Argument(metavar="ACTIVITY", help="Ids or patterns, as 034@pod-001.")
    ] = None,
    role: Annotated[str | None, Option(help="In which role, if you hold several.")] = None,
    comment: Annotated[str, Option(help="What you add.")] = "",
    export: Annotated[Path | None, Option(help="Write the statement, to be signed elsewhere.", metavar="FILE")] = None,
    import_: Annotated[
        Path | None, Option("--import", help="Record FILE, which was signed elsewhere.", metavar="FILE")
    ] = None,
) -> None:
    if import_ is not None:
        if me.at is not None:
            raise InputError("the statement says when it was decided", hint="leave --at out; --export takes it")
        _record_signed(import_, me.site)
    elif not activities:
        raise InputError("which activity?", hint="as 034@pod-001, or --import FILE")
    elif export is not None:
        _write_statement(me, export, activities, role, comment)
    else:
        me.each(activities, "signed", signed.sign, role=role, comment=comment)


def _write_statement(
    me: SigningReport,
    path: Path,
    activities: list[str],
    role: str | None,
    comment: str,
) -> None:
    require_visible(comment, "the comment", lines=True)
    with me.record() as snapshot, Ledger.open(snapshot.site_dir) as ledger:
        person, names = me.person(snapshot), matching_activities(snapshot, activities).all()
        if len(names) != 1:
            raise InputError(f"{len(names)} activities are named, and a statement is about one")
        with me.happened(ledger, snapshot):
            command = write_statement(
                ledger,
                lambda: signed.sign(ledger, person, names[0], role=role, comment=comment),
                path,
            )
    say(f"{path}: sign it with `{command}`, then `clusterwright sign --import {quote(str(path))}`")


def _record_signed(path: Path, site: Path | None) -> None:
    for file in (path, path.with_name(f"{path.name}.sig")):
        _require_small(file)
    with Ledger.open(find_site(site)) as ledger:
        event = sign_off.sign_elsewhere(ledger, path)
    say(f"{event.subject}: approved by {event.actor}, signed elsewhere")


def _require_small(path: Path) -> None:
    """Raise InputError for what is there and is no file, or a larger one than a statement can be."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file")
    if path.exists() and path.stat().st_size > LARGEST:
        raise InputError(f"{path} has {path.stat().st_size:,} bytes; a statement has at most {LARGEST:,}")

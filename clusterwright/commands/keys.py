"""`clusterwright keys`: whose keys count, since when, and their revocation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from clusterwright.commands.acting import act_once
from clusterwright.commands.options import AsOption, AtOption, JsonOption, KeyOption, ReasonOption, SiteOption, instant
from ledger.questions.records import signer_keys
from ledger.questions.site import site_of
from ledger.reading import open_snapshot

app = typer.Typer(
    invoke_without_command=True,
    help="Keys that people sign with; site.yaml proposes them (`ssh_key`), an adopted plan enrols them.",
)


@app.callback()
def keys(context: typer.Context, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List every key that counts or counted, with its times."""
    if context.invoked_subcommand is not None:
        return
    from clusterwright.output import print_json, table
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        rows = signer_keys(reader)
    if as_json:
        print_json(rows)
        return
    table(
        ("person", "since", "until", "why", "key"),
        [
            (
                r.person,
                f"{r.since:%Y-%m-%d %H:%M}",
                f"{r.until:%Y-%m-%d %H:%M}" if r.until else "",
                r.reason,
                r.key[:60],
            )
            for r in rows
        ],
    )


@app.command("allowed-signers")
def allowed_signers(site: SiteOption = None) -> None:
    """Print the site's allowed_signers file, as ssh-keygen(1) reads it."""
    from clusterwright.where import find_site
    from ledger.trust import ssh

    with open_snapshot(find_site(site)) as reader:
        namespace = ssh.namespace_of(rehearsal=site_of(reader).rehearsal)
        held = [ssh.SignerKey(r.person, r.key, r.since, r.until) for r in signer_keys(reader)]
    print(ssh.allowed_signers(held, namespace), end="")


@app.command()
def revoke(
    person: Annotated[str, typer.Argument(help="Whose key.")],
    reason: ReasonOption,
    since: AtOption = None,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Let a key count no longer, from now or from when it was lost (--at)."""
    from ledger.decisions.people import revoke_key

    moment = instant(since) or datetime.now(UTC)
    act_once(
        site,
        who,
        lambda ledger, me: revoke_key(ledger, me, person, reason, since=moment),
        f"the key of {person} counts no longer; what it signed before {moment:%Y-%m-%d %H:%M}Z still holds",
        key,
    )

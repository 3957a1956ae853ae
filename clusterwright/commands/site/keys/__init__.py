"""See whose keys count, and revoke one.

site.yaml proposes a person's key (`ssh_key`), and adopting the plan enrols it. Without a verb every key is listed that
counts or counted.

Example:
    clusterwright keys
    clusterwright keys revoke operator --reason 'laptop lost' --at 2026-12-01

"""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.asking import Asking, record
from clusterwright.commands.options import AtOption, ReasonOption, SiteOption
from clusterwright.output import Cells, print_json, say
from ledger.private import private_files
from ledger.questions.records import signer_keys, valid_key
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.rules.rows import SignerKey
from ledger.stores.following import has_ledger
from ledger.trust import ssh
from steps.stamps import at_site, minute


def keys(ask: Asking) -> None:
    with ask.record() as snapshot:
        zone = site_of(snapshot).time_zone

        def cells(r: SignerKey) -> Cells:
            return r.person, minute(r.since, zone), minute(r.until, zone), r.reason, r.key[:60]

        ask.table(snapshot, signer_keys(snapshot), ("person", "since", "until", "why", "key"), cells)


def allowed_signers(site: SiteOption = None) -> None:
    """Print the allowed_signers file, as ssh-keygen(1) reads it.

    Example:
        clusterwright keys allowed-signers

    """
    with record(site) as snapshot:
        namespace = ssh.namespace_of(rehearsal=site_of(snapshot).rehearsal)
        keys = signer_keys(snapshot)
    print(ssh.allowed_signers(keys, namespace), end="")


def engine(
    ask: Asking,
    replace: Annotated[bool, Option("--replace", help="Make a new key beside the one that signs now.")] = False,
) -> None:
    """Make the engine's key, and print the line for site.yaml.

    On a signed site software signs what it records. The owner enrols the key by adopting a plan that names it. Called again, it
    prints the line again. With --replace a new key is made; the old one signs until the plan that names the new one is adopted.

    Example:
        clusterwright keys engine
        clusterwright keys engine --replace

    """
    from ledger.trust.engine_key import KEY, NEXT, make_key, public_key  # OpenSSL

    folder = ask.folder
    enrolled = _enrolled(folder)
    path = folder / (NEXT if replace or (folder / NEXT).exists() else KEY)
    is_new = not path.exists()
    with private_files():
        line = make_key(folder, replace=replace) if is_new else public_key(path)
    is_enrolled = ssh.plain_key(line) == enrolled
    if ask.as_json:
        print_json({"engine_key": line, "file": path, "is_new": is_new, "is_enrolled": is_enrolled})
        return
    print(f"engine_key: {line}")
    if is_enrolled:
        say("the plan in force names it")
        return
    said = "made" if is_new else "made before"
    say(f"{path}: {said}; write the line above in site.yaml, and the owner adopts the plan")
    if replace and enrolled is not None:
        say("until then the old key signs")


def _enrolled(folder: Path) -> str | None:
    """Return the engine's key in force. A new one that is in force by now is put in the place of the old one."""
    if not has_ledger(folder):
        return None
    from ledger.trust.engine_key import tidy

    with open_snapshot(folder) as snapshot:
        tidy(snapshot)
        return valid_key(snapshot, ENGINE)


def revoke(
    me: Signing,
    person: Annotated[str, Argument(help="Whose key.")],
    reason: ReasonOption,
    since: AtOption = None,
) -> None:
    """Let a person's key count no longer.

    It counts no longer from now, or from when it was lost (--at). What it signed before still holds. If it was lost earlier than
    was known, revoke it again with that time. A time before a person's present key ends the key that they had then.

    Example:
        clusterwright keys revoke operator --reason 'laptop lost' --at 2026-11-20

    """
    from ledger.subjects.people.decisions import revoke_key

    with me.deciding() as decider:
        event: Any = decider.take(revoke_key, person, reason, since=since)
        zone = site_of(decider.snapshot).time_zone
        other = valid_key(decider.snapshot, person)
    ends = event.payload.since
    if since is not None and ends < at_site(since, zone):
        say("a revocation counts at once, and not from a later time on")
    say(f"the key of {person} counts no longer; what it signed before {minute(ends, zone)} still holds")
    if other not in {None, event.payload.key}:
        say(f"that was the key of {person} then; their present one still counts, and is revoked without --at")

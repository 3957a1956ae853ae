"""What `backup` and `restore` say of a backup."""

from pathlib import Path

from clusterwright.output import clean, say
from ledger.trust.archive import Contents


def summed_up(contents: Contents, findings: int, path: Path, detail: str) -> str:
    """Return what a backup holds, in two lines."""
    mark = "REHEARSAL: " if contents.rehearsal else ""
    first = clean(f"{mark}{path}: {contents.files} files, {detail}")
    return f"{first}\nevent {contents.seq}, head {contents.hash}, {findings} findings"


def say_who_is_named(redacted: tuple[str, ...]) -> None:
    """Say whose redacted name is still in the site file, which is kept as it is."""
    if redacted:
        say(f"site.yaml in it still names who was redacted: {', '.join(redacted)}; the id is enough there")

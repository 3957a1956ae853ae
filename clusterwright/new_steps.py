"""Work that another plan has and ours has not, written as drafts of the site's own steps."""

from collections.abc import Sequence
from pathlib import Path

from clusterwright.output import in_line, say
from clusterwright.text_file import writing
from schedule.exchange.mapping import NEW, PlanMapping, under_our_ids
from schedule.exchange.model import Exchange
from steps.catalog.drafts import NewWork, drafts
from steps.catalog.loader import Catalog, read_catalog


def write_new_steps(
    site: Path, target: Path, file: Path, theirs: Exchange, mapping: PlanMapping, ours: Exchange
) -> None:
    """Write a draft for each activity that a mapping calls new, and say what to do with it. No file is replaced."""
    catalog = _with_drafts(read_catalog(site), target)
    found = drafts(_new_work(under_our_ids(theirs, mapping, ours), mapping), catalog, file.name)
    for draft in found:
        path = target / draft.file
        with writing(path, "look at the folder"):
            target.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8") as out:
                out.write(draft.text)
        say(f"{path}: a draft of {in_line(draft.work.id)} {in_line(draft.work.title)!r}")
    if found:
        one = found[0]
        say(
            f"Check each draft and adopt the plan. Then write its activity in {mapping.path} instead of `{NEW}`: "
            f"{one.step}@site for {in_line(one.work.id)}"
        )


def _with_drafts(catalog: Catalog, target: Path) -> Catalog:
    """Return the catalog with the ids of drafts that are in a folder already, so that no id is used twice."""
    first = next(iter(catalog.values()))
    ids = [path.name.partition("_")[0] for path in target.glob("X*_*.yaml")]
    return catalog | {name: first for name in ids if name[1:].isdigit() and name not in catalog}


def _new_work(found: Exchange, mapping: PlanMapping) -> Sequence[NewWork]:
    names = [task.id for task in found.tasks]
    new = set(mapping.of(NEW))
    return [
        NewWork(
            task.id,
            task.title,
            task.minutes,
            [names[link.before] for link in found.into[row]],
            [names[link.after] for link in found.out_of[row]],
        )
        for row, task in enumerate(found.tasks)
        if task.id in new
    ]

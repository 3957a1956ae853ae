"""The pages that follow from the code: automated steps, who may do what, design values, durations and so on.

None of them is kept in git: `make docs` builds them into the site, and `python docs/generate.py FOLDER` writes them as Markdown.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from duration_basis import duration_basis
from red_cases import red_cases
from screens_page import screens

from ledger.rules.access import in_words
from ledger.subjects.kinds import ACCESS
from steps.acceptance.causes import CAUSES
from steps.acceptance.metric import Tool
from steps.acceptance.severity import ACTIONS
from steps.acceptance.toolbox import TOOLS
from steps.acceptance.xids import XIDS
from steps.catalog.loader import Catalog, read_catalog
from steps.catalog.schema import FIRST_DOCUMENTS, Step
from steps.catalog.terms import Kind, Phase, Scope
from steps.design.design import Design, design_of
from steps.design.figures import choice_specs, figure_sections
from steps.design.site import Site
from steps.design.values import DESIGN_VALUES
from steps.planning.network.durations import crews_on, duration_of, is_elapsed, items_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

HERE = Path(__file__).parent
SIZES = (32, 1250, 12500)
HOURS_PER_DAY = 8.0
FOR_REAL = ("hardware", "lab", "simulator")
PROVED = (*FOR_REAL, "rendered", "nothing")
FIRST_UNIT = {Scope.SITE: "site", Scope.HALL: "hall-1", Scope.POD: "pod-001"}


def design(nodes: int) -> Design:
    """Return an h100-10k design with another number of nodes, greenfield, so that every step has its time."""
    site = Site.model_validate(
        {
            "name": "durations",
            "time_zone": "Etc/UTC",
            "country": "US",
            "currency": "USD",
            "preset": "h100-10k",
            "start": "2027-01-04",
            "facility": "greenfield",
            "overrides": {"nodes": nodes, "halls": max(1, nodes // 1250)},
            "people": [{"id": "owner", "roles": ["owner-pm"]}],
        }
    )
    return design_of(site)


def design_values() -> Iterator[str]:
    """Return the page of every name that a formula may read."""
    yield "# Design values\n"
    yield "Every name a catalog formula may read. `pod` values hold at a pod, `hall` values at a hall and its pods.\n"
    yield "| name | unit | level | meaning |"
    yield "|---|---|---|---|"
    for value in DESIGN_VALUES.values():
        yield f"| `{value.name}` | {value.unit} | {value.level} | {value.meaning} |"


def durations() -> Iterator[str]:
    """Return each step's most likely duration at three sizes, for a builder to judge."""
    catalog = read_catalog()
    designs = [design(nodes) for nodes in SIZES]
    yield "# How long each step takes\n"
    yield (
        "Most likely time of one activity (the first unit of the step's scope) at 32, 1,250 and 12,500 nodes on a "
        "greenfield site with the design of `h100-10k`. `d` are working days of 8 hours, `h` and `w` run around the "
        "clock. In brackets: items, and crews at work on them. Suppliers' lead times are orders of their own and are "
        "not in here, and neither is what failures add: servers that fail a soak (034, 035) begin it again by themselves, which "
        "the samples of a plan have ([risk](../explanation/risk.md#servers-that-fail-a-soak)). Every figure can be overridden in the site's "
        "`catalog/`. [Sources](sources.md) has the references.\n"
    )
    yield "| step | what | scope | 32 | 1,250 | 12,500 | source |"
    yield "|---|---|---|---|---|---|---|"
    for entry in catalog.values():
        step = entry.step
        cells = [_cell(step.id, catalog, d) for d in designs]
        source = (step.duration.rate or step.duration.fixed).source
        yield f"| {step.id} | {step.title} | {step.scope.value} | {' | '.join(cells)} | {source} |"
    yield from _side_by_side(catalog)
    yield from duration_basis(catalog)


def _side_by_side(catalog: Catalog) -> Iterator[str]:
    """Yield the room that a crew needs in each step whose crews share its work."""
    yield "\n## Crews side by side\n"
    yield (
        "In these steps as many crews come to one activity as have room, as the site has, and as its work keeps busy "
        "([how](../explanation/planning.md#crews-and-shifts)). A site with other aisles overrides `crew` in its `catalog/`.\n"
    )
    yield "| step | what | room | of | source |"
    yield "|---|---|---|---|---|"
    for step in (entry.step for entry in catalog.values()):
        if room := step.crew.room:
            yield f"| {step.id} | {step.title} | {room.value:g} {room.unit} | `{room.of}` | {room.source} |"


def _cell(step_id: str, catalog: Catalog, at: Design) -> str:
    step = catalog[step_id].step
    unit = next(u for u in at.units if u.kind is step.scope)
    values = unit.values | {"crews": at.crews_of(step.crew.role)}
    hours = duration_of(step, values, HOURS_PER_DAY).m
    if is_elapsed(step):
        text = f"{hours:.1f} h" if hours < 168 else f"{hours / 168:.1f} w"
    else:
        text = f"{hours / HOURS_PER_DAY:.1f} d"
    items = items_of(step, values)
    if step.duration.rate is not None and items is not None:
        text += f" ({items:,}; {crews_on(step, values):g})"
    return text


def hold_points() -> Iterator[str]:
    """Return the hold-point steps and why each is there."""
    yield "# Hold points\n"
    yield "Steps that the 195 leave out and no real site can do without.\n"
    yield "| id | what | phase | scope | applies |"
    yield "|---|---|---|---|---|"
    for entry in read_catalog().values():
        step = entry.step
        if step.id.startswith("H"):
            applies = "always" if step.applies is True else f"`{step.applies}`"
            yield f"| {step.id} | {step.title} | {step.phase.value} | {step.scope.value} | {applies} |"


def seed_numbers() -> Iterator[str]:
    """Return every number of the five texts that is arithmetic beside ours, and why they differ."""
    entries = yaml.safe_load((HERE / "seed_numbers.yaml").read_text(encoding="utf-8"))
    errata = [entry["erratum"] for entry in entries if entry.get("erratum")]
    yield "# Where our numbers differ, and why\n"
    yield (
        "Five texts tell how a training cluster is built ([sources](sources.md) names them). Every number in them that is arithmetic "
        "(a product, sum, share, rate or count) is worked out again here by the calculators of `steps/design`, or by the "
        f"formula shown. Of {len(entries)} entries {len(entries) - len(errata)} are reproduced within their printed rounding; "
        f"the others are {len(set(errata))} errata, numbered by text: `E0-7` is the seventh of text 000. A test works out every one of them.\n"
    )
    for seed, title in FIRST_DOCUMENTS.items():
        yield f"## {title[0].upper()}{title[1:]} ({seed})\n"
        yield "| where | the text says | ours | verdict | why | worked out by |"
        yield "|---|---|---|---|---|---|"
        yield from (_seed_row(entry) for entry in entries if entry["seed"] == seed)
        yield ""


def _seed_row(entry: dict[str, Any]) -> str:
    ours, unit, says = entry["ours"], entry["unit"] or "", entry["says"]
    numbers = [number if isinstance(number, str) else f"{number:,}" for number in _listed(ours)]
    said = f"{says} {unit}" if says.strip("~<+-–.,0123456789") == "" else says
    cells = [entry["where"], said, f"{' to '.join(numbers)} {unit}".strip(), entry.get("erratum") or "reproduced"]
    return f"| {' | '.join(cells)} | {entry.get('reason', '')} | {_worked_out_by(entry)} |"


def _worked_out_by(entry: dict[str, Any]) -> str:
    if "calculator" not in entry:
        return ", ".join(f"`{formula}`" for formula in _listed(entry.get("formula", [])))
    arguments = ", ".join(f"{name}: {value}" for name, value in entry["arguments"].items()).replace("'", "")
    then = f", then `{entry['then']}`" if "then" in entry else ""
    return f"`{entry['calculator']}({arguments})`{then}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def design_figures() -> Iterator[str]:
    """Return every figure and choice of a design with its default and source."""
    yield "# Figures and choices of a design\n"
    yield (
        "What a profile, a preset, a site's `overrides` and `--set` may say. A figure without a value comes from the profile "
        "or the preset. A value outside the bounds is a finding. [Sources](sources.md) has the full references.\n"
    )
    for section, group in figure_sections().items():
        yield f"## {section}\n"
        yield "| figure | meaning | value | unit | source |"
        yield "|---|---|---|---|---|"
        for name, spec in group.items():
            value = "" if spec.value is None else f"{spec.value:g}"
            yield f"| `{name}` | {spec.meaning} | {value} | {spec.unit} | {spec.source or 'profile or preset'} |"
        yield ""
    yield "## choices\n"
    yield "| choice | meaning | options | value |"
    yield "|---|---|---|---|"
    for name, choice in choice_specs().items():
        options = ", ".join(str(o).lower() for o in choice.options) or "an IPv4 network"
        yield f"| `{name}` | {choice.meaning} | {options} | {'' if choice.value is None else str(choice.value).lower()} |"


def access() -> Iterator[str]:
    """Return the table of who may do what."""
    yield "# Who may do what\n"
    yield (
        "Every decision, and the roles that may take it. Decisions, questions and the audit ask this one table "
        "(`access` of each subject in `ledger/subjects`); a test tries every decision with every role. Roles may be lent ([authority](../explanation/ledger.md)). "
        "What the state of an activity allows is another question, which `why` answers.\n"
    )
    yield "| decision | about | who may | but |"
    yield "|---|---|---|---|"
    for action, rule in ACCESS.items():
        who, but = in_words(rule)
        yield f"| {action.replace('_', ' ')} | {rule.to} | {who} | {but} |"


def acceptance() -> Iterator[str]:
    """Return the tools whose output is read, the metrics, and where the captured outputs come from."""
    yield "# What is read out of tools\n"
    yield (
        "A playbook, or a person, hands a tool's output over as it was printed; `steps/acceptance` reads it into metrics "
        "with units. Output that is cut, garbled, empty or of a tool that ended badly is `not measured`, with a note that "
        "says why, and never a pass: tests cut every captured output at every place and flip its characters. A list "
        "without an end mark (a log, a host's ports) that was cut between two entries cannot be told from a shorter one; "
        "the design's own count of the part, and the note, are the guard there.\n"
    )
    yield "## Tools, metrics and units\n"
    yield "Steps in brackets only note the metric. A metric without a step waits for its playbook.\n"
    sources_file = HERE.parent / "tests" / "acceptance" / "fixtures" / "tools" / "SOURCES.yaml"
    sources = yaml.safe_load(sources_file.read_text(encoding="utf-8"))
    yield "| tool | command | output read in tests | handed over as | metrics (unit) | steps |"
    yield "|---|---|---|---|---|---|"
    for tool in TOOLS:
        metrics = ", ".join(f"`{m.name}` ({m.unit})" for m in tool.metrics)
        command = tool.command.replace("|", "\\|")
        seen = dict.fromkeys(f"{s['tool']} ({s['kind']})" for s in sources.values() if tool.output in s["outputs"])
        yield f"| {tool.name} | `{command}` | {', '.join(seen)} | `{tool.output}` | {metrics} | {_steps_of(tool)} |"
    yield ""
    yield (
        "lscpu, lsblk, lspci, `ip -j link`, ethtool, ss, chronyc, timedatectl, systemctl, dmesg, stress-ng and the DMI "
        "files are read by the modules beside them, for the steps that run on any host: see "
        "[this machine](../tutorials/localhost.md).\n"
    )
    yield "## Limits\n"
    yield (
        "An absolute limit is the criterion's own, a figure of the server's profile where it depends on the model "
        "([figures](design-figures.md)). With `fleet_z` each item must also lie within so many robust standard deviations "
        "(0.6745 times the distance from the median, over the median absolute deviation) of the others of its activity, "
        "counted to the bad side. The absolute limit stays, so that a fleet that is slow everywhere does not pass; fewer "
        "than five items are held against it alone. Shares of a theoretical figure (percent of line rate) are worked out "
        "from the design's rails and link rate; beside other figures that the design bounds (line rate, NVLink, "
        "peak of a GPU) their share of it stands in the reading's note.\n"
    )
    yield "## Burn-in clock\n"
    yield (
        "Clean hours count from the first reading, and start again at every fault that asks for a reset or a reboot, and "
        "after every gap of more than a quarter of an hour that nobody watched. A part to be replaced ends the burn-in. Over the "
        "same time are judged: the fewest GPUs that answered at once, and, in every five minutes, the mean power and clock of the "
        "weakest of them.\n"
    )
    yield "| severity | drains the node | starts the clock again | what is done |"
    yield "|---|---|---|---|"
    for severity, action in ACTIONS.items():
        drains, restarts = ("yes" if flag else "no" for flag in (action.drain, action.restarts_clock))
        yield f"| {severity} | {drains} | {restarts} | {action.sentence} |"
    yield "\n## Xid numbers\n"
    yield "| Xid | meaning | hardware | severity | source |"
    yield "|---|---|---|---|---|"
    for xid in XIDS.values():
        yield f"| {xid.number} | {xid.meaning} | {'yes' if xid.hardware else 'no'} | {xid.severity} | {xid.source} |"
    yield "\n## Likely causes\n"
    yield "Shown with a failure, likeliest first.\n"
    yield "| metric | likely causes, and what to do | source |"
    yield "|---|---|---|"
    for metric, causes in CAUSES.items():
        said = "; ".join(dict.fromkeys(cause.source for cause in causes))
        yield f"| `{metric}` | {'<br>'.join(str(cause) for cause in causes)} | {said} |"
    yield "\n## Where the tests' outputs come from\n"
    yield (
        "`captured`: printed by the tool on a machine or simulator of ours. `public`: printed elsewhere and published. "
        "`documented`: written in the documented form, the figures ours; such a parser has met no real output yet.\n"
    )
    yield "| file | kind | tool | source |"
    yield "|---|---|---|---|"
    for name, source in sources.items():
        yield f"| `{name}` | {source['kind']} | {source['tool']} | {source['source']} |"


def _steps_of(tool: Tool) -> str:
    """Return the steps that read a tool by themselves; in brackets those where no criterion judges what it says."""
    own = {metric.name for metric in tool.metrics}
    found = []
    for step in (entry.step for entry in read_catalog().values() if entry.step.kind in {Kind.AUTOMATE, Kind.VERIFY}):
        if own & {criterion.metric for criterion in step.accept}:
            found.append(step.id)
        elif own & {read.metric for read in step.also_reads}:
            found.append(f"({step.id})")
    return ", ".join(found)


def automated_steps() -> Iterator[str]:
    """Return every step that software does or checks: by which playbook, how that was proved, and what it has not met yet."""
    entries = yaml.safe_load((HERE / "automation.yaml").read_text(encoding="utf-8"))
    catalog = read_catalog()
    steps = [e.step for e in catalog.values() if e.step.kind in {Kind.AUTOMATE, Kind.VERIFY}]
    if untold := sorted({name for s in steps for name in s.playbooks} - set(entries)):
        sys.exit(f"docs/automation.yaml has no entry for {', '.join(untold)}")
    yield "# The steps that software does or checks\n"
    yield (
        "Every `automate` and `verify` step of the catalog. What a playbook does, and how that was proved, stands in "
        "`docs/automation.yaml`; [what the playbooks really do](../explanation/automation.md) tells what the words mean. A step without a "
        "playbook is not automated yet: it is done by other means, and then started and `measure`d, or attested by the "
        "command shown, here at the first of its units. A row that says `where` is a step in such designs, and is not counted.\n"
    )
    counted = [s for s in steps if s.id.isdigit()]
    for_real = sum(_is_for_real(s, entries) for s in counted)
    yield (
        f"Of the {len(counted)} steps of the 195 that software does or checks, **{for_real}** were made for real, on hardware, in the lab or "
        "against a simulator of the real protocol, and then broken by the real tool and found broken. What was made and never broken is "
        "not among them, and is counted beside them.\n"
    )
    names = [*FOR_REAL, "made, never broken", *PROVED[len(FOR_REAL) :], "done with others"]
    yield f"| steps | in all | with a playbook | {' | '.join(names)} |"
    yield "|---|---|---|" + "---|" * len(names)
    for kind in (Kind.AUTOMATE, Kind.VERIFY):
        yield _counted(f"`{kind.value}` of the 195", [s for s in counted if s.kind is kind], entries)
    yield _counted("[hold points](hold-points.md)", [s for s in steps if not s.id.isdigit()], entries)
    for phase in Phase:
        yield from _steps_table(phase.value, [row for s in steps if s.phase is phase for row in _rows(s)], entries)
    by_hand = sorted((n for n in set(entries) - {n for s in steps for n in s.playbooks} if "/" in n), key=_number)
    rows = [(step := catalog[_number(name)].step, step.title, name) for name in by_hand]
    yield from _steps_table("run by a person", rows, entries)


def _is_for_real(step: Step, entries: dict[str, dict[str, str]]) -> bool:
    entry = entries.get(step.playbook or "", {})
    return entry.get("proved") in FOR_REAL and "broken" in entry


def _rows(step: Step) -> Iterator[tuple[Step, str, str | None]]:
    yield step, step.title, step.playbook
    for alternative in step.alternatives:
        yield step, f"{step.title}, where `{alternative.when}`", alternative.playbook


def _number(playbook: str) -> str:
    return playbook.rpartition("/")[2].partition("_")[0]


def _counted(title: str, steps: list[Step], entries: dict[str, dict[str, str]]) -> str:
    """Return a row of the table at the top. A step without a playbook is in `nothing`, or done with others."""
    with_others = [s for s in steps if not s.playbook and s.completed_by]
    proved: Counter[str] = Counter()
    for step in (s for s in steps if s not in with_others):
        how = entries[step.playbook]["proved"] if step.playbook else "nothing"
        proved["made, never broken" if how in FOR_REAL and not _is_for_real(step, entries) else how] += 1
    numbers = [
        len(steps),
        sum(1 for s in steps if s.playbook),
        *(proved[how] for how in FOR_REAL),
        proved["made, never broken"],
        *(proved[how] for how in PROVED[len(FOR_REAL) :]),
        len(with_others),
    ]
    return f"| {title} | {' | '.join(map(str, numbers))} |"


def _steps_table(
    title: str, rows: list[tuple[Step, str, str | None]], entries: dict[str, dict[str, str]]
) -> Iterator[str]:
    yield f"\n## {title.replace('_', ' ').capitalize()}\n"
    yield "| step | what | playbook | what it really does | proved | broken | still needs |"
    yield "|---|---|---|---|---|---|---|"
    for step, what, playbook in rows:
        with_others = f"done with {' and '.join(step.completed_by)}" if step.completed_by else ""
        entry = entries.get(playbook or step.id, {})
        if playbook is None:
            route = f"not automated yet: `clusterwright attest {step.id}@{FIRST_UNIT[step.scope]}`"
            cells = ["-", with_others or route, entry.get("proved", "-")]
        else:
            does = f"{entry['does']} ({with_others} where that applies)" if with_others else entry["does"]
            proved = ": ".join(entry[key] for key in ("proved", "how") if key in entry)
            cells = [f"`{playbook}`", does, proved]
        yield f"| {step.id} | {what} | {' | '.join([*cells, entry.get('broken', '-'), entry.get('needs', '-')])} |"


PAGES = {
    "acceptance.md": acceptance,
    "access.md": access,
    "automated-steps.md": automated_steps,
    "design-figures.md": design_figures,
    "design-values.md": design_values,
    "durations.md": durations,
    "hold-points.md": hold_points,
    "red-cases.md": red_cases,
    "screens.md": screens,
    "seed-numbers.md": seed_numbers,
}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add every page to the site that MkDocs builds, beside those that people wrote."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}", content="\n".join(page())))


def main() -> None:
    """Write every page into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

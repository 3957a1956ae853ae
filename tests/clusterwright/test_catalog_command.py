"""The catalog on the command line: one step whole, the graph of the site around, one step linted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from steps.catalog.loader import shipped_folder
from tests.conftest import Command

BURN_IN = shipped_folder() / "server_assembly" / "034_gpu_burn_in.yaml"
SAYS = "The list of 195 steps says: 48-72 hours"


@pytest.fixture
def changed(site: Path) -> Path:
    """A site of 64 servers that burns in for a week and adds a step of its own."""
    path = site / "site.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("overrides: {}", "overrides: {nodes: 64}"), encoding="utf-8")
    (site / "catalog").mkdir()
    (site / "catalog" / "034.yaml").write_text(
        'overrides: "034"\nreason: "contract asks for one week"\n'
        'duration:\n  fixed: {o: 168, m: 168, p: 240, unit: elapsed-hour, source: "supply contract, annex 3"}\n',
        encoding="utf-8",
    )
    (site / "catalog" / "X01_label_rows.yaml").write_text(
        'id: "X01"\nslug: label-rows\ntitle: Label the rows\ndescription: "Each row has its number at both ends."\n'
        "phase: power\nsection: Own\nkind: field\nscope: pod\ncrew: {role: rigger, size: 1}\n"
        "duration:\n  fixed: {value: 1, unit: crew-day, source: assumption}\n"
        'links:\n  - {after: "H09", map: same, reason: "racks stand"}\n'
        "accept:\n  - {metric: rows.labelled_ratio, op: '==', value: 1, unit: ratio, source: 'our standard'}\n"
        "sign_off:\n  policy: {roles: [facility-lead]}\nsources: {}\n",
        encoding="utf-8",
    )
    return site


def test_one_step_is_shown_with_what_the_list_says_and_who_reads_each_metric(command: Command) -> None:
    shown = command("catalog", "show", "006").stdout

    assert "The list of 195 steps says: memory integrity, compute performance, and power characteristics" in shown
    assert "also reads dcgm.skipped_tests in count" in shown
    assert next(line for line in shown.splitlines() if "rvs.failed_tests" in line).split("'amd'")[1].split()[:2] == [
        "a",
        "person",
    ]
    assert "corrects E4-2" in shown


def test_a_step_is_also_printed_as_it_is_written(command: Command) -> None:
    assert BURN_IN.read_text(encoding="utf-8") in command("catalog", "show", "034", "--yaml").stdout


def test_below_the_shipped_lines_of_a_changed_step_is_what_changes_them(changed: Path, command: Command) -> None:
    """Who overrides a key copies it from the shipped file."""
    printed = command("catalog", "show", "034", "--yaml", cwd=changed).stdout

    shipped, _, own = printed.partition(BURN_IN.read_text(encoding="utf-8"))
    assert shipped == f"# {BURN_IN}\n"
    assert "contract asks for one week" in own


def test_a_changed_step_says_what_the_site_changed_and_why(changed: Path, command: Command) -> None:
    shown = command("catalog", "show", "034", cwd=changed)
    document = json.loads(command("catalog", "show", "034", "--json", cwd=changed).stdout)

    assert "changed here: duration, because: contract asks for one week" in shown.stdout
    assert "duration 168, 168 or 240 elapsed-hour (supply contract, annex 3)" in shown.stdout
    assert SAYS in shown.stdout
    assert document["override_reason"] == "contract asks for one week"
    assert document["seed_says"] == "48-72 hours"


def test_all_keys_that_a_new_step_lacks_are_named_at_once(tmp_path: Path, command: Command) -> None:
    own = tmp_path / "X01_label_the_rows.yaml"
    own.write_text("id: X01\nslug: label-the-rows\ntitle: Label the rows\n", encoding="utf-8")

    refused = command("catalog", "lint", own, cwd=tmp_path)

    (said,) = [line for line in refused.stderr.splitlines() if "is missing; missing too: " in line]
    for key in ("phase", "kind", "scope", "duration", "sources"):
        assert repr(key) in said


def test_who_writes_a_part_of_a_key_reads_where_the_whole_is(changed: Path, command: Command) -> None:
    """A lead time is in a line of supplies, and an override of `supplies` has all lines, each of them whole."""
    mine = changed / "catalog" / "001.yaml"
    lead = 'lead_time: {o: 30, m: 40, p: 52, unit: weeks, source: "their quotation"}'
    mine.write_text(
        f'overrides: "001"\nreason: quoted\nsupplies:\n  - {{item: gpu-server, {lead}}}\n', encoding="utf-8"
    )

    refused = command("catalog", "show", "001", cwd=changed)

    assert refused.returncode == 2
    assert "001.yaml:4: supplies[0].title: key 'title' is missing" in refused.stderr
    assert f"copy the key from {next(shipped_folder().glob('*/001_*.yaml'))}" in refused.stderr


def test_an_activity_shows_what_the_list_says(adopted: Path, command: Command) -> None:
    shown = command("show", "034@pod-001", "--site", adopted).stdout
    document = json.loads(command("show", "H21@pod-001", "--json", "--site", adopted).stdout)

    assert SAYS in shown
    assert document["seed_says"] is None


def test_a_file_that_a_shell_has_emptied_is_named(site: Path, command: Command) -> None:
    """`catalog show 034 --yaml > catalog/X01_ours.yaml` empties the file before the command reads the catalog."""
    (site / "catalog").mkdir()
    (site / "catalog" / "X01_ours.yaml").touch()

    shown = command("catalog", "show", "034", "--yaml", "--site", site)

    assert (shown.returncode, shown.stdout) == (2, "")
    assert "catalog/X01_ours.yaml:1: there is nothing here" in shown.stderr


def test_a_role_of_which_nothing_is_said_is_named_by_its_line(site: Path, command: Command) -> None:
    (site / "catalog").mkdir()
    (site / "catalog" / "roles.yaml").write_text("rigger: {title: Rigger}\nlabeller:\n", encoding="utf-8")

    shown = command("catalog", "roles", "--site", site)

    assert shown.returncode == 2
    assert "catalog/roles.yaml:2: there is nothing here" in shown.stderr


def test_a_role_of_the_site_says_its_title_and_no_more(site: Path, command: Command) -> None:
    (site / "catalog").mkdir()
    (site / "catalog" / "roles.yaml").write_text("labeller: {title: Rack labeller}\n", encoding="utf-8")

    rows = json.loads(command("catalog", "roles", "--json", "--site", site).stdout)
    shown = command("catalog", "roles", "--site", site)

    assert rows["labeller"] == {"title": "Rack labeller", "signs": False, "office": False, "approval": None}
    assert "Rack labeller" in shown.stdout, shown.stderr


def test_the_graph_inside_a_sites_folder_is_that_sites(changed: Path, command: Command) -> None:
    folder = changed / "notes"
    folder.mkdir()

    graph = json.loads(command("catalog", "graph", "--json", cwd=folder).stdout)
    of_preset = json.loads(command("catalog", "graph", "--json", "--preset", "xai-100k", cwd=folder).stdout)

    assert "X01" in {node["step"] for node in graph["nodes"]}
    assert graph["preset"] == "superpod-1su"
    assert of_preset["preset"] == "xai-100k"
    assert "X01" not in {node["step"] for node in of_preset["nodes"]}


def test_a_graph_is_of_a_site_or_of_a_preset(site: Path, command: Command) -> None:
    both = command("catalog", "graph", "--site", site, "--preset", "lab")

    assert both.returncode == 2
    assert "leave out --site or --preset" in both.stderr


def test_one_step_is_linted_by_its_id(command: Command) -> None:
    result = command("catalog", "lint", "034", "--json")

    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert (document["steps"], document["findings"], document["activities"]) == (1, [], {})
    assert document["figures"] > 1
    assert command("catalog", "lint", "34").returncode == 2


def test_a_file_is_linted_in_the_place_of_the_step_it_is_of(tmp_path: Path, command: Command) -> None:
    draft = tmp_path / BURN_IN.name
    shutil.copy(BURN_IN, draft)
    text = draft.read_text(encoding="utf-8")
    draft.write_text(text.replace("metric: gpu.dbe,", "metric: gpu.fan_happiness,"), encoding="utf-8")

    result = command("catalog", "lint", draft)

    assert result.returncode == 1
    number = next(number for number, line in enumerate(text.splitlines(), 1) if "metric: gpu.dbe," in line)
    assert (
        f"034_gpu_burn_in.yaml:{number}: accept[5].metric: no reader gives gpu.fan_happiness (metric)" in result.stdout
    )
    assert "findings in step 034: 1" in result.stderr


def test_a_sites_own_step_and_its_overrides_are_linted(changed: Path, command: Command) -> None:
    by_file = command("catalog", "lint", "catalog/X01_label_rows.yaml", cwd=changed)
    by_id = command("catalog", "lint", "X01", cwd=changed)
    override = command("catalog", "lint", "catalog/034.yaml", cwd=changed)

    assert by_file.returncode == by_id.returncode == 1
    assert "no reader gives rows.labelled_ratio" in by_file.stdout
    assert by_id.stdout.partition("X01_label_rows.yaml")[2] == by_file.stdout.partition("X01_label_rows.yaml")[2]
    assert override.returncode == 0, override.stdout

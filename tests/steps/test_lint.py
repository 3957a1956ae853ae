"""What the lint refuses: metrics that nobody reads, units that do not compare, fields that no program reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.planning import rooms
from flows.runs.process.place import playbooks_folder
from steps.catalog.lint.check import lint_step
from steps.catalog.lint.fields import field_findings, unread_fields
from steps.catalog.lint.moves import moved_findings
from steps.catalog.lint.report import Installed, LintReport
from steps.catalog.lint.settings import setting_findings
from steps.catalog.loader import Catalog, read_roles
from steps.catalog.moved import Moved, moved
from steps.catalog.schema import Criterion, DeadParts, Estimate, Link
from steps.catalog.terms import AlsoRead
from steps.design.design import design_of_preset
from tests.shipped import shipped_catalog

CATALOG = shipped_catalog()
INSTALLED = Installed(read_roles(), playbooks_folder(), rooms())
DESIGNS = {"superpod-1su": design_of_preset("superpod-1su")}


def changed(step: str, **changes: Any) -> Catalog:
    entry = CATALOG[step]
    return CATALOG | {step: replace(entry, step=entry.step.model_copy(update=changes))}


def criterion(metric: str, *, unit: str = "count", by_hand: bool = False) -> Criterion:
    return Criterion(metric=metric, op=">=", value=1, unit=unit, by_hand=by_hand, source="assumption")


def linted(step: str, **changes: Any) -> LintReport:
    return lint_step(changed(step, **changes), step, INSTALLED, DESIGNS)


def messages(step: str, **changes: Any) -> list[str]:
    return [finding.message for finding in linted(step, **changes).findings]


@pytest.mark.parametrize("step", ["034", "062", "010", "H21", "001", "033"])
def test_a_metric_that_nobody_reads_is_refused_at_any_kind_of_step(step: str) -> None:
    (finding,) = linted(step, accept=(criterion("gpu.fan_happiness"),), also_reads=()).findings

    assert finding.rule == "metric"
    assert finding.message == "no reader gives gpu.fan_happiness"
    assert finding.hint.endswith("if a person reads it, write `by_hand: true`")
    assert finding.place.key == "accept[0].metric"
    assert finding.place.line


@pytest.mark.parametrize("held", ["H99", "186"])
def test_a_dead_part_can_hold_only_a_step_of_its_own_unit(held: str) -> None:
    """There is no H99, and 186 is the whole site's."""
    duration = CATALOG["031"].step.duration
    dead = DeadParts(part="server", holds=held, then=("034", held))

    (holds, then) = linted("031", duration=duration.model_copy(update={"dead": dead})).findings

    assert holds.message == f"{held} is no step of the same unit that a dead part could hold"
    assert (holds.place.key, then.place.key) == ("duration.dead.holds", "duration.dead.then[1]")


def test_a_metric_that_no_calculator_works_out_is_refused_at_a_compute_step() -> None:
    """A tool reads it, and no tool runs at a compute step."""
    assert messages("036", accept=(criterion("gpu.count"),)) == ["no calculator gives gpu.count"]
    assert messages("036", accept=(criterion("fabric.tiers"),)) == []


@pytest.mark.parametrize(
    ("step", "metric"),
    [("037", "design.core_switches"), ("070", "as_built.sampled_cable_errors"), ("071", "chassis.node_kw")],
)
def test_a_metric_of_a_loop_of_the_engine_or_of_a_formula_is_worked_out(step: str, metric: str) -> None:
    assert messages(step, accept=(criterion(metric),)) == []


def test_a_misspelt_metric_is_named_with_the_nearest() -> None:
    (finding,) = linted("029", accept=(criterion("gpu.cuont"),)).findings

    assert finding.hint.startswith("did you mean gpu.count?")


def test_a_person_reads_only_what_nothing_else_does() -> None:
    assert messages("010", accept=(criterion("slab.load_kn_m2", by_hand=True),)) == []
    assert messages("029", accept=(criterion("gpu.count", by_hand=True),)) == ["a reader gives gpu.count"]


def test_what_is_only_noted_is_read_and_is_no_criterion() -> None:
    unknown, judged = (AlsoRead(metric=name, unit="count") for name in ("gpu.fan_happiness", "gpu.count"))

    assert messages("029", also_reads=(unknown,)) == ["nothing reads gpu.fan_happiness"]
    assert messages("029", also_reads=(judged,)) == ["gpu.count is a criterion already"]


def test_a_unit_that_does_not_compare_with_the_readers_is_refused() -> None:
    assert messages("031", accept=(criterion("boot.uptime_s", unit="hour"),)) == []
    assert messages("031", accept=(criterion("boot.uptime_s", unit="GiB"),)) == [
        "boot.uptime_s is read in s, which does not compare with GiB"
    ]


def test_one_step_is_looked_at_with_its_links_and_formulas_and_no_other() -> None:
    """The unit of a formula shows only with the values of a design; each fault is said once, however many designs."""
    catalog = changed("010", accept=(criterion("gpu.fan_happiness"),))
    alien = (Link(after="999", reason="to see it refused"),)
    mixed = (criterion("gpu.count").model_copy(update={"value": "it_mw"}),)
    designs = DESIGNS | {"lab": design_of_preset("lab")}

    assert lint_step(catalog, "029", INSTALLED, designs).findings == []
    assert messages("029", links=alien) == ["waits for 999, which does not exist"]
    found = lint_step(changed("029", accept=mixed), "029", INSTALLED, designs).findings
    assert [f.message for f in found] == ["formula 'it_mw' comes out in megawatt, not dimensionless"]


def test_the_source_of_waves_counts_among_the_figures() -> None:
    with_waves, without = linted("144"), linted("144", waves=None)

    assert with_waves.figures == without.figures + 1


def test_every_field_of_the_schema_is_read() -> None:
    assert list(field_findings(rooms())) == []


def test_what_the_command_shows_is_read_by_nothing_else() -> None:
    """Found in the source itself: without the command's room these fields have no reader."""
    without = unread_fields(tuple(room for room in rooms() if room.name != "clusterwright"))

    shown = {("Step", "seed_says"), ("Criterion", "erratum"), ("OnFail", "severity")}
    assert shown <= without


def test_a_field_counts_as_read_where_its_class_is_handled(tmp_path: Path) -> None:
    """`finding.severity` is not OnFail's, and a method that is called is no field."""
    (tmp_path / "reading.py").write_text(
        "def first(step):\n    return step.on_fail.ncr\n\n\n"
        "def second(finding, words):\n    return finding.severity, words.count('a')\n\n\n"
        "def third(crew: Crew):\n    return crew.count(1)\n",
        encoding="utf-8",
    )

    unread = unread_fields((tmp_path,))

    assert {("Step", "on_fail"), ("OnFail", "ncr")} & unread == set()
    assert {("OnFail", "severity"), ("Crew", "count")} <= unread


def test_a_field_counts_as_read_where_the_plan_has_it_from_the_step(tmp_path: Path) -> None:
    """The planner copies it under the same name, and a row of the ledger has it as `row.plan`."""
    (tmp_path / "reading.py").write_text("def first(row):\n    return row.plan.shares, row.state\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("def second(row):\n    return row.preview\n", encoding="utf-8")

    unread = unread_fields((tmp_path,))

    assert ("Step", "shares") not in unread
    assert ("Step", "preview") in unread


def test_a_field_that_nothing_reads_is_named(tmp_path: Path) -> None:
    (tmp_path / "reading.py").write_text("def f(step: Step):\n    return step.resources\n", encoding="utf-8")

    messages = [finding.message for finding in field_findings((tmp_path,))]

    assert "no program reads Step.resources" not in messages
    assert "no program reads Step.seed_says" in messages


def duration(step: str, **changes: Any) -> list[str]:
    """Return what the lint says of a step whose duration is different."""
    return messages(step, duration=CATALOG[step].step.duration.model_copy(update=changes))


def test_a_duration_that_does_not_grow_with_its_quantity_needs_a_reason() -> None:
    assert duration("046", rate=None) == ["takes as long for one of its links as for a thousand"]
    assert duration("046", rate=None, once="the seller delivers all of them as one") == []


@pytest.mark.parametrize("step", ["046", "048", "001"])
def test_people_do_not_work_around_the_clock_without_a_shift(step: str) -> None:
    """046 is field work, 048 has no playbook, and 001 is a purchase."""
    around = {"fixed": Estimate(value=5, unit="elapsed-day", source="assumption"), "rate": None, "once": "one"}

    assert duration(step, **around) == ["people do it, and it goes on at night and on holidays"]
    assert duration(step, **around, around_the_clock="the resin cures") == []


def test_a_duration_is_counted_on_one_calendar() -> None:
    per_hour = Estimate(value=5, unit="links per elapsed-hour", source="assumption")

    assert duration("046", rate=per_hour) == ["is counted on two calendars"]


def test_a_figure_that_nothing_reads_is_named(tmp_path: Path) -> None:
    """`trade_pace_high` is read by a name that is put together, and `nodes` by nothing but formulas here."""
    (tmp_path / "reading.py").write_text(
        'def f(figures, end):\n    return figures[f"trade_pace_{end}"]\n', encoding="utf-8"
    )

    found = [finding.message for finding in setting_findings(CATALOG, (tmp_path,))]

    assert "no program reads the figure staff_usd_year" in found
    assert "no program reads the figure trade_pace_high" not in found
    assert "no program reads the figure floor_m2_per_rack" in found
    assert "no program reads the figure white_space_m2_per_person" not in found


def test_a_resource_that_no_step_occupies_is_named() -> None:
    idle = {
        name: replace(entry, step=entry.step.model_copy(update={"resources": {}})) for name, entry in CATALOG.items()
    }

    found = [finding.message for finding in setting_findings(idle, rooms())]

    assert "no step occupies burn-in-power" in found
    assert "no step occupies people-in-hall" not in found


def fixed(source: str, **points: float) -> Any:
    """Return the duration of step 036 with another fixed time."""
    time = points or {"o": 2, "m": 4, "p": 8}
    estimate = Estimate(unit="working-day", source=source, **time)
    return CATALOG["036"].step.duration.model_copy(update={"fixed": estimate})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("judgement: ", "the source is only 'judgement: '"),
        ("analogy", "the source is only 'analogy'"),
        ("analogy: same work as step 999", "no other step 999 that it could be compared with"),
        ("analogy: same work as steps 037 and H99", "no other step H99 that it could be compared with"),
        ("analogy: same work as step 036", "no other step 036 that it could be compared with"),
    ],
)
def test_a_time_says_what_it_rests_on(source: str, message: str) -> None:
    assert messages("036", duration=fixed(source)) == [message]


@pytest.mark.parametrize("source", ["analogy: same work as steps 037 and H05", "judgement: one engineer", "assumption"])
def test_a_time_that_says_it_is_accepted(source: str) -> None:
    assert messages("036", duration=fixed(source)) == []


@pytest.mark.parametrize("points", [{"value": 4}, {"o": 4, "m": 4, "p": 4}])
def test_what_is_judged_has_a_range(points: dict[str, float]) -> None:
    """A contract may name one figure. Who estimates knows a range."""
    assert messages("036", duration=fixed("judgement: one engineer", **points)) == [
        "a time that rests on judgement has no range"
    ]
    assert messages("036", duration=fixed("supply contract, annex 3", **points)) == []


def test_lead_times_and_lags_are_looked_at_too() -> None:
    supply = CATALOG["040"].step.supplies[0]
    lead = supply.lead_time.model_copy(update={"source": "analogy: as step 999"})
    supplies = (supply.model_copy(update={"lead_time": lead}), *CATALOG["040"].step.supplies[1:])
    (found,) = linted("040", supplies=supplies).findings

    assert (found.rule, found.place.key) == ("basis", "supplies[0].lead_time")

    links = tuple(
        link.model_copy(update={"lag": link.lag.model_copy(update={"source": "judgement:"})}) if link.lag else link
        for link in CATALOG["078"].step.links
    )
    assert messages("078", links=links) == ["the source is only 'judgement:'"]


def test_what_moved_names_steps_orders_and_figures_that_exist() -> None:
    """A misspelt step would be opened again at every site that upgrades."""
    wrong = Moved(counted=("999",), figures=("cable_euro",), bought={"084#rack-pdus": ("990#rack-pdu",)})

    assert list(moved_findings(CATALOG, moved())) == []
    assert [finding.message for finding in moved_findings(CATALOG, wrong)] == [
        "there is no step 999",
        "there is no figure cable_euro",
        "no step buys 084#rack-pdus",
        "990#rack-pdu is of no step",
    ]

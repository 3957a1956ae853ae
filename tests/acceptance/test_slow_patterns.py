"""Texts on which a pattern would search for minutes or for ever: a host prints what it likes, and the engine waits for it."""

from __future__ import annotations

import time

import pytest

from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, entry
from tests.acceptance.tool_cases import CASES

BLANKS = " " * 60
TEXTS = {
    "a log line of blanks": ("ipmi_sel", "bmc.sel_faults", f"1|{BLANKS}|{BLANKS}|{BLANKS}"),
    "nodes without a state": (
        "scontrol_show_node",
        "scheduler.nodes_available_ratio",
        "NodeName=n1 Arch=x86\n" * 20_000,
    ),
    "ports without a link": (
        "ibstat",
        "rdma.port_active_ratio",
        "CA 'mlx5_0'\n" + "  Port 1:\n  State: Active\n  Physical state: LinkUp\n  Rate: 400\n" * 8_000,
    ),
    "lines just short enough": ("nvidia_topo", "gpu.nvlinks_min", f"{'a' * 4_998}\n" * 100),
    "versions of many digits": ("docker", "container.runtime_supported", f"Docker version 28.{'2' * 4_900}\n" * 100),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_no_tool_prints_is_not_measured_at_once(text: str) -> None:
    name, metric, said = TEXTS[text]
    began = time.process_time()

    (found,) = measure([metric], "node-1", {name: entry(said)}, {}, today=TODAY)

    assert found.value is None
    assert found.note.startswith("not measured: the output of")
    assert time.process_time() - began < 0.5


def test_empty_lines_after_a_table_change_nothing_and_cost_nothing() -> None:
    table = next(case for case in CASES if case.output == "nccl_all_reduce")
    began = time.process_time()

    (found,) = measure(["nccl.ranks"], "node-1", table.raw(table.text + ("\n" * 900 + "x\n") * 10), {}, today=TODAY)

    assert found.value == table.values["nccl.ranks"]
    assert time.process_time() - began < 0.5

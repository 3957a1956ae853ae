"""Step 121: capacity and bandwidth of the design's storage servers, compared with the needs of data and checkpoints."""

from __future__ import annotations

from steps.design.calculations.calculation import Calculation, Facts, Under
from steps.design.design import Counted
from steps.design.storage import findings
from steps.planning.activity import PlanActivity

OUT = 2
"""Storage servers that may be lost or in maintenance without a loss of the planned bandwidth."""


def shared_storage(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 121: capacity of the planned servers, and their bandwidth with two of them out."""
    f, needed = counted.figures, counted.storage
    calculation = Calculation(findings=list(findings(f, needed, counted.checkpoint_tb)))
    calculation.takes_figures(
        counted,
        "drives_per_server",
        "drive_tb",
        "storage_efficiency",
        "storage_gb_s_per_server",
        "storage_write_share",
        "dataset_tokens_t",
        "dataset_copies",
        "checkpoints_kept",
        "checkpoint_write_s",
    )
    servers = int(under.plan.design["storage_servers"])
    calculation.takes("storage_servers", servers, "count")
    calculation.takes("checkpoint_tb", counted.checkpoint_tb, "TB", "parameters times bytes of weights and optimizer")
    carrying = max(0, servers - OUT)
    read = carrying * f["storage_gb_s_per_server"]
    write = read * f["storage_write_share"]
    gives = calculation.gives
    capacity = servers * f["drives_per_server"] * f["drive_tb"] * f["storage_efficiency"] / 1000
    gives("storage.capacity_pb", capacity, "PB", "servers x drives x size x usable share")
    gives("storage.data_pb", needed.data_pb, "PB", "training data and its copies")
    gives("storage.checkpoints_pb", needed.checkpoints_pb, "PB", "checkpoints kept")
    gives("storage.work_pb", needed.work_pb, "PB", "work space for each server")
    gives("storage.read_gb_s", read, "GB/s", f"servers without {OUT} x bandwidth of each")
    gives("storage.write_gb_s", write, "GB/s", "read bandwidth times the share of writing")
    gives("storage.write_needed_gb_s", needed.needed_write_gb_s, "GB/s", "a checkpoint in the time it may take")
    short = max(0.0, needed.needed_write_gb_s - write) if servers else 0
    gives("storage.checkpoint_short_gb_s", short, "GB/s", "bandwidth that a checkpoint needs beyond what is there")
    gives(
        "storage.metadata_servers",
        int(under.plan.design["metadata_servers"]),
        "count",
        "one for each 16 storage servers, at least two",
    )
    return calculation

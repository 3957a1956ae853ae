"""Shared storage: the needs of data and checkpoints, and the servers and drives for them.

Capacities are usable and decimal (1 PB is 1,000 TB), bandwidths in GB/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from steps.design.figures import Figures
from steps.design.findings import Finding

LEAST_SERVERS = 4
"""The fewest storage servers with which a parallel file system survives the loss of one (assumption)."""


class Storage(NamedTuple):
    """The needs, what is installed for them, and the local tier."""

    data_pb: float = 0
    checkpoints_pb: float = 0
    work_pb: float = 0
    needed_pb: float = 0
    needed_read_gb_s: float = 0
    needed_write_gb_s: float = 0
    servers: int = 0
    metadata_servers: int = 0
    drives: int = 0
    capacity_pb: float = 0
    read_gb_s: float = 0
    write_gb_s: float = 0
    local_pb: float = 0
    decided_by: str = "no shared storage"


def data_tb(tokens_t: float, bytes_per_token: float) -> float:
    """Return the size of tokenised training data in TB."""
    return tokens_t * bytes_per_token


def write_gb_s(checkpoint_tb: float, seconds: float) -> float:
    """Return the bandwidth in GB/s that writes a checkpoint in `seconds`."""
    return checkpoint_tb * 1000 / seconds


def checkpoints_a_day_tb(size_tb: float, minutes: float) -> float:
    """Return the TB that checkpoints write in a day at an interval of `minutes`."""
    return size_tb * 24 * 60 / minutes


def storage_of(f: Figures, *, checkpoint_tb: float, shared: bool, has_metadata_servers: bool = True) -> Storage:
    """Return the shared storage of a design; a single machine has none (`shared` is false)."""
    local = f["nodes"] * f["nvme_per_node"] * f["nvme_tb"] / 1000
    if not shared:
        return Storage(local_pb=local)
    data = data_tb(f["dataset_tokens_t"], f["bytes_per_token"]) * f["dataset_copies"] / 1000
    kept = checkpoint_tb * f["checkpoints_kept"] / 1000
    work = f["storage_pb_per_node"] * f["nodes"]
    read = f["storage_gb_s_per_node"] * f["nodes"]
    write = write_gb_s(checkpoint_tb, f["checkpoint_write_s"])
    server_pb = f["drives_per_server"] * f["drive_tb"] * f["storage_efficiency"] / 1000
    server_read = f["storage_gb_s_per_server"]
    server_write = server_read * f["storage_write_share"]
    for_each = {
        "read bandwidth": ceil(read / server_read - 1e-9),
        "checkpoint bandwidth": ceil(write / server_write - 1e-9),
        "capacity": ceil((data + kept + work) / server_pb - 1e-9),
        "the least that is redundant": LEAST_SERVERS - 2,
    }
    decided_by = max(for_each, key=lambda name: for_each[name])
    carrying = for_each[decided_by]
    servers = carrying + 2
    return Storage(
        data_pb=data,
        checkpoints_pb=kept,
        work_pb=work,
        needed_pb=data + kept + work,
        needed_read_gb_s=read,
        needed_write_gb_s=write,
        servers=servers,
        metadata_servers=max(2, ceil(servers / 16)) if has_metadata_servers else 0,
        drives=servers * int(f["drives_per_server"]),
        capacity_pb=servers * server_pb,
        read_gb_s=carrying * server_read,  # with two servers lost or in maintenance
        write_gb_s=carrying * server_write,
        local_pb=local,
        decided_by=decided_by,
    )


def findings(f: Figures, storage: Storage, checkpoint_tb: float) -> Iterator[Finding]:
    """Yield a warning if the local drives cannot hold two checkpoints."""
    share = checkpoint_tb / f["nodes"]
    local = f["nvme_per_node"] * f["nvme_tb"]
    if storage.servers and 2 * share > local > 0:
        yield Finding(
            "checkpoint-over-local-drives",
            "warning",
            "storage",
            f"two checkpoints are {2 * share:.1f} TB a server, its drives hold {local:.1f} TB: no local checkpoint tier",
            "checkpoint to shared storage only, or larger drives",
            {"share_tb": share, "local_tb": local},
        )

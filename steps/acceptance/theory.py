"""The best value that a metric could reach with the design's figures. It is noted beside the value and judges nothing.

A design may lack the figure; then nothing is noted. A collective that uses NVLink SHARP may exceed 100 %.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple

TENTH = Decimal("0.1")


class Best(NamedTuple):
    """The design values that bound a metric, the function of them that is the bound, and what it is called."""

    names: tuple[str, ...]
    of: Callable[..., Decimal]
    words: str


LINE = Best(("link_gb_s",), lambda rate: rate, "line rate")

BEST = {
    "rdma.write_bw_min_gbit": LINE,
    "rdma.send_bw_gbit": LINE,
    "rdma.read_bw_gbit": LINE,
    "gpudirect.write_bw_min_gbit": LINE,
    "tcp.received_gbit": LINE,
    "mpi.bandwidth": Best(("link_gb_s",), lambda rate: rate * 1000 / 8, "line rate"),
    "nccl.allreduce_busbw_node": Best(("nvlink_gb_s",), lambda both_ways: both_ways / 2, "one direction of NVLink"),
    "gemm.tflops": Best(("gpu_tflops",), lambda peak: peak, "dense BF16 peak"),
}


def share_of_best(metric: str, value: Decimal | bool, design: Mapping[str, Any]) -> str:
    """Return for example `97.8 % of line rate`; an empty text if the design bounds no such metric."""
    best = BEST.get(metric)
    if best is None or isinstance(value, bool):
        return ""
    known = [design[name] for name in best.names if design.get(name)]
    if len(known) < len(best.names):
        return ""
    most = best.of(*(Decimal(str(figure)) for figure in known))
    if not most:
        return ""
    return f"{(value / most * 100).quantize(TENTH, ROUND_DOWN)} % of {best.words}"

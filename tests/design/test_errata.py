"""The errata that matter most, one by one: what a text says, and what the calculators say of it."""

from __future__ import annotations

import pytest

from steps.design import checkpoints, cooling, economics, power, reliability, storage, training
from steps.design.design import design_of_preset
from steps.design.fabric import FabricShape, fabric_of, two_tier_limit
from tests.shipped import shipped_catalog

LLAMA_GPU_HOURS = 16384 * 54 * 24
NODE_KW = 10.2


def test_ten_thousand_gpus_need_three_tiers_and_783_switches_not_600_in_two() -> None:
    """E0-1: 500 leaf and 100 spine switches."""
    fabric = fabric_of(FabricShape(nodes=1250, rails=8, radix=64, rail_optimised=False))

    assert two_tier_limit(radix=64, spine_radix=64) == 2048
    assert (fabric.tiers, fabric.leaf, fabric.spine, fabric.core) == (3, 313, 313, 157)
    assert fabric.switches == 783


def test_eight_servers_a_rack_are_beyond_any_air() -> None:
    """E0-2: eight servers a rack, and air that struggles above 30 kW; contained aisles carry 50, rear doors 60."""
    assert 8 * NODE_KW > 60
    assert cooling.cfm(8 * NODE_KW, 14) > 10_000


def test_a_superpod_unit_costs_10_to_13_million_not_50() -> None:
    """E0-3: `256 GPUs per pod, $50M+`."""
    low, high = 32 * 0.3, 32 * 0.4

    assert (round(low), round(high)) == (10, 13)


def test_staff_counted_once_a_three_month_run_costs_46_million_not_55() -> None:
    """E0-5: staff is in the month's operating cost already, and a quarter's depreciation of $510M is no $50M."""
    depreciation = economics.straight_line(510, 3) / 4

    assert depreciation == 42.5
    assert round(depreciation + 3 * 1.2) == 46


def test_training_text_is_terabytes_not_petabytes() -> None:
    """E0-6: 1-10 petabytes of text."""
    assert storage.data_tb(tokens_t=15, bytes_per_token=4) == 60


def test_ten_thousand_gpus_are_interrupted_nearly_five_times_a_day_not_once_or_twice() -> None:
    """E0-7, with the rate of the one run that was published in full."""
    rate = reliability.interruptions_per_day(10_000, LLAMA_GPU_HOURS / 419)

    assert round(rate, 1) == 4.7


def test_a_thousand_a100_for_34_days_rent_for_3_million_at_most_not_5_to_10() -> None:
    """E0-8: GPT-3 at its own $2-4 a GPU-hour."""
    assert economics.rent_usd(gpus=1000, days=34, usd_gpu_h=4) == pytest.approx(3.264e6)


def test_1250_servers_take_15_megawatts_at_least_with_their_own_pue() -> None:
    """E0-13: 12-15 MW in all, with a PUE of 1.2 to 1.4."""
    servers = design_of_preset("h100-10k").counted.power.compute_mw

    assert servers == 12.75
    assert servers * 1.2 > 15


def test_a_thousand_servers_of_8_kilowatts_with_overhead_are_at_most_10_4_megawatts() -> None:
    """E1-2: `10-11MW` for 8 MW and 20-30 %."""
    assert round(1000 * 8 / 1000 * 1.3, 1) == 10.4


def test_redundant_supplies_of_3_kilowatts_are_four_not_two_or_three() -> None:
    """E1-3: two of three carry 6 kW, the server draws 7 to 8."""
    assert 2 * 3 < 7
    assert power.supplies_needed(7, 3) + 1 == power.supplies_needed(8, 3) + 1 == 4


def test_eight_uplinks_of_a_leaf_are_four_to_one_not_full_bisection() -> None:
    """E1-6: a leaf with 32 ports down has as many up."""
    fabric = fabric_of(FabricShape(nodes=32, rails=8, radix=64))

    assert (fabric.leaf_down, fabric.leaf_up) == (32, 32)
    assert fabric.leaf_down / 8 == 4
    asked = [one for entry in shipped_catalog().values() for one in entry.step.accept if one.erratum == "E1-6"]
    assert [(one.metric, one.op) for one in asked] == [("leaf.uplinks", ">=")]


def test_a_60_ampere_circuit_at_208_volts_carries_one_server_not_a_rack() -> None:
    """E1-9: `60A or 80A three-phase circuits per rack`."""
    assert power.feed_kw(208, 60) // NODE_KW == 1
    assert power.feed_kw(415, 80) // NODE_KW == 4


def test_148_of_419_interruptions_are_35_percent_not_30() -> None:
    """E2-1: the counts sum to 419, so the percentage is the odd one."""
    assert sum(reliability.MIX.values()) == 419
    assert round(reliability.MIX["faulty GPU"] / 419 * 100, 1) == 35.3


def test_20_megawatts_at_10_cents_cost_1_46_million_a_month_not_1_2() -> None:
    """E2-3."""
    assert round(power.annual_cost(20, 0.10) / 12 / 1e6, 2) == 1.46


def test_16384_gpus_take_21_megawatts_not_100() -> None:
    """E2-4: 2,048 servers."""
    assert round(16384 / 8 * NODE_KW / 1000) == 21


@pytest.mark.parametrize(("minutes", "tb"), [(5, 216), (30, 36), (120, 9)])
def test_checkpoints_of_750_gigabytes_fill_twice_what_was_said_a_day(minutes: float, tb: float) -> None:
    """E2-7: 100, 20 and 5 TB a day."""
    assert storage.checkpoints_a_day_tb(0.75, minutes) == pytest.approx(tb)


def test_a_70b_checkpoint_is_a_terabyte_not_750_gigabytes_or_one_and_a_half() -> None:
    """E2-6: weights, 32-bit master copy and two moments are 14 bytes a parameter, 16 where gradients are kept in 32 bits."""
    assert checkpoints.BYTES_PER_PARAM["bf16", "adamw"] == 14
    assert checkpoints.size_tb(70, 14) == pytest.approx(0.98)
    assert checkpoints.size_tb(70, 16) == pytest.approx(1.12)


def test_an_nvl72_trains_less_than_a_trillion_parameters_without_a_network_not_seven() -> None:
    """E2-11: 13.8 TB hold 7 trillion weights of 2 bytes, and 14 bytes is what training keeps."""
    memory_tb = 72 * 192 / 1000

    assert checkpoints.size_tb(1000, 14) > memory_tb
    assert checkpoints.size_tb(6900, 2) < memory_tb


def test_a_failure_of_16384_gpus_costs_more_than_the_lost_half_interval() -> None:
    """E2-12: $12,500 leaves out ten minutes of detection and restart."""
    mtbf_s = reliability.mtbf_h(16384, LLAMA_GPU_HOURS / 419) * 3600
    lost_s = checkpoints.lost_share(interval_s=1800, restart_s=600, mtbf_s=mtbf_s) * mtbf_s

    assert round(economics.rent_usd(16384, lost_s / 86400, 3), -2) == 20_500


def test_64_gpus_fail_monthly_not_weekly() -> None:
    """E2-20, at the rate that gives a failure every three hours at 16,384."""
    assert round(reliability.mtbf_h(16384, LLAMA_GPU_HOURS / 419), 2) == 3.09
    assert round(reliability.mtbf_h(64, LLAMA_GPU_HOURS / 419) / 24) == 33


def test_24576_h100_are_24_exaflops_not_petaflops() -> None:
    """E3-1: and so in code, table and prose."""
    assert round(training.peak_eflops(24576, 989), 1) == 24.3
    assert round(training.peak_eflops(8960, 459), 1) == 4.1


def test_with_petaflops_for_exaflops_a_training_run_lasts_131_years() -> None:
    """E3-2: `cluster_pflops: 24.3` gives 47,743 days, and the right peak 47.7, not the 54 of the table."""
    flop = training.flops(405, 15) * 1.1
    as_written = training.days(flop, 24.3 / 1000, 0.4)

    assert round(as_written) == 47_743
    assert round(as_written / 365) == 131
    assert round(training.days(flop, 24.3, 0.4), 1) == 47.7


def test_54_days_of_16384_gpus_predict_425_failures_not_648() -> None:
    """E3-4: the rate is right (419 were counted), the number of GPUs is not."""
    assert round(reliability.interruptions_per_day(16384, 50_000) * 54) == 425


def test_50000_hours_fit_interruptions_of_all_causes_not_gpu_failures() -> None:
    """E3-5: GPUs' own causes come at two thirds of that rate."""
    own = ("faulty GPU", "GPU HBM3 memory", "GPU SRAM memory", "GPU system processor")
    sensors = ("silent data corruption", "GPU thermal interface and sensor")
    count = sum(reliability.MIX[cause] for cause in own + sensors)

    assert round(LLAMA_GPU_HOURS / 419, -3) == 51_000
    assert round(LLAMA_GPU_HOURS / count, -3) == 79_000


def test_19_6_megawatts_at_6_cents_cost_10_million_a_year_not_10_thousand() -> None:
    """E3-7: MW times hours times USD/kWh lacks a thousand."""
    assert power.annual_cost(19.6, 0.06) == pytest.approx(10_301_760)


def test_a_405b_checkpoint_is_nearly_6_terabytes_not_1_62() -> None:
    """E3-11: 1.62 TB are the weights in 32 bits."""
    assert checkpoints.size_tb(405, 4) == pytest.approx(1.62)
    assert checkpoints.size_tb(405, 14) == pytest.approx(5.67)


def test_ten_days_of_100000_gpus_rent_for_72_million_at_most_not_200() -> None:
    """E3-13."""
    assert economics.rent_usd(100_000, 10, 3) == 72e6


def test_a_failure_in_24_hours_on_1000_servers_is_near_certain_not_non_trivial() -> None:
    """E4-3."""
    assert round(reliability.probability_of_failure(8000, 24, LLAMA_GPU_HOURS / 419), 3) == 0.977


def test_1250_servers_in_racks_of_four_are_313_racks_not_300() -> None:
    """E0-2: the last rack is not full."""
    assert design_of_preset("h100-10k").site.values["racks"] == 313

"""Calculators against figures worked out elsewhere: data sheets, published tables, textbooks."""

from __future__ import annotations

from math import isclose, sqrt

import pytest

from steps.design import checkpoints, cooling, economics, power, reliability, storage, training
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of


@pytest.mark.parametrize(("volts", "amps", "kw"), [(208, 60, 17.3), (208, 80, 23.1), (415, 60, 34.5), (415, 80, 46.0)])
def test_a_three_phase_feed_carries_root_three_volts_amps_at_eighty_percent(
    volts: float, amps: float, kw: float
) -> None:
    assert round(power.feed_kw(volts, amps), 1) == kw


def test_the_breaker_for_a_load_is_the_next_size_sold() -> None:
    assert power.standard_breaker(power.breaker_needed(40.8, 415)) == 80
    assert power.standard_breaker(power.breaker_needed(45.9, 415)) == 80
    assert power.standard_breaker(power.breaker_needed(46.1, 415)) == 100
    assert power.standard_breaker(10_000) is None


@pytest.mark.parametrize(("redundancy", "modules"), [("N", 4), ("N+1", 5), ("2N", 8)])
def test_modules_follow_the_redundancy(redundancy: str, modules: int) -> None:
    assert power.modules(3.5, 1.0, redundancy) == modules
    assert power.modules(0.0, 1.0, redundancy) == 0


@pytest.mark.parametrize(("loads", "over"), [(0, 0.0), (3, 0.0), (4, 0.5), (12, 0.0), (10, 0.2)])
def test_phases_are_level_when_loads_come_in_threes(loads: int, over: float) -> None:
    assert isclose(power.phase_imbalance(loads), over, abs_tol=1e-12)


def test_ten_kilowatts_at_25_fahrenheit_take_1266_cfm() -> None:
    assert round(cooling.cfm(10, 25 / 1.8)) == 1265  # 3.16 CFM x W / dF


def test_coolant_flow_is_a_litre_and_a_half_a_minute_for_a_kilowatt_at_ten_kelvin() -> None:
    assert round(cooling.liquid_l_min(1, 10), 2) == 1.5


def test_a_ton_is_3_517_kilowatts() -> None:
    assert cooling.tons(3517) == 1000


def test_free_cooling_counts_hours_cold_enough() -> None:
    assert cooling.free_cooling_hours([10, 16, 16.1, 30], supply_c=24, approach_k=8) == 2


def test_cooling_units_carry_the_heat_with_one_to_spare_and_none_is_needed_for_none() -> None:
    assert cooling.units(1000, 200, 1) == 6
    assert cooling.units(1001, 200, 2) == 8
    assert cooling.units(0, 200, 1) == 0


def test_the_llama_mix_sums_to_its_419_interruptions() -> None:
    assert sum(reliability.MIX.values()) == 419


def test_419_in_54_days_on_16384_gpus_is_one_in_50677_gpu_hours() -> None:
    per = 16384 * 54 * 24 / 419
    assert round(per) == 50677
    assert round(reliability.interruptions_per_day(16384, per), 2) == 7.76
    assert round(reliability.mtbf_h(16384, per), 2) == 3.09


def test_a_thousand_nodes_fail_within_a_day_with_98_percent() -> None:
    assert round(reliability.probability_of_failure(8000, 24, 50677), 3) == 0.977


@pytest.mark.parametrize(
    ("mean", "probability", "count"), [(0.0, 0.95, 0), (1.0, 0.95, 3), (10.0, 0.95, 15), (600.0, 0.95, 641)]
)
def test_spares_are_the_quantile_of_a_poisson_count(mean: float, probability: float, count: int) -> None:
    assert reliability.poisson_quantile(mean, probability) == count


@pytest.mark.parametrize(("pause", "minutes"), [(30, 13.6), (60, 19.3), (300, 43.1)])
def test_young_intervals_at_a_failure_every_three_hours(pause: float, minutes: float) -> None:
    assert round(checkpoints.young_interval_s(pause, 3.09 * 3600) / 60, 1) == minutes


def test_daly_is_near_young_for_short_pauses_and_the_mtbf_for_endless_ones() -> None:
    assert isclose(checkpoints.daly_interval_s(1, 1e6), checkpoints.young_interval_s(1, 1e6), rel_tol=1e-2)
    assert checkpoints.daly_interval_s(2000, 1000) == 1000


def test_young_is_the_minimum_of_what_is_lost() -> None:
    mtbf, pause = 11_000.0, 40.0
    best = checkpoints.young_interval_s(pause, mtbf)

    def lost(interval: float) -> float:
        return pause / interval + checkpoints.lost_share(interval, 600, mtbf)

    assert lost(best) < lost(best * 1.1)
    assert lost(best) < lost(best * 0.9)
    assert isclose(best, sqrt(2 * pause * mtbf))


@pytest.mark.parametrize(("params_b", "tb"), [(70, 0.98), (405, 5.67)])
def test_a_checkpoint_holds_fourteen_bytes_a_parameter(params_b: float, tb: float) -> None:
    assert isclose(checkpoints.size_tb(params_b, checkpoints.BYTES_PER_PARAM["bf16", "adamw"]), tb)


def test_llama_405b_takes_48_days_on_24576_h100() -> None:
    flop = training.flops(405, 15)
    assert round(training.days(flop, training.peak_eflops(24576, 989), 0.4), 1) == 43.4
    assert round(training.days(flop * 1.1, training.peak_eflops(24576, 989), 0.4), 1) == 47.7


def test_storage_servers_are_what_the_hardest_need_takes_and_two_to_spare() -> None:
    figures = dict(design_of_preset("superpod-1su").figures)
    by_read = storage.storage_of(figures, checkpoint_tb=0.98, shared=True)
    by_write = storage.storage_of(figures, checkpoint_tb=50, shared=True)
    alone = storage.storage_of(figures, checkpoint_tb=0.98, shared=False)

    assert by_read.read_gb_s >= by_read.needed_read_gb_s == 40
    assert (by_write.decided_by, by_write.servers) == ("checkpoint bandwidth", 23)
    assert by_write.write_gb_s >= by_write.needed_write_gb_s
    assert alone.servers == 0


def test_owning_beats_renting_when_the_difference_has_paid_for_it() -> None:
    assert economics.break_even_months(120, 2, 12) == 12
    assert economics.break_even_months(120, 12, 12) is None


def test_every_part_of_the_money_adds_up() -> None:
    e = dossier_of(design_of_preset("h100-10k")).economics

    assert isclose(sum(e.capex_by_category.values()), e.capex)
    assert isclose(sum(e.opex_by_category.values()), e.opex_month)
    assert 500e6 < e.capex < 600e6  # the guide of sixty steps: 500 to 600 million
    assert isclose(e.break_even_months or 0, e.capex / (e.rent_month - e.opex_month))


def test_it_power_is_the_sum_of_its_levels() -> None:
    p = design_of_preset("h100-10k").counted.power

    assert isclose(p.compute_mw + p.fabric_mw + p.storage_mw + p.management_mw, p.it_mw)
    assert isclose(p.facility_mw, p.it_mw * 1.3)
    assert isclose(p.annual_cost, p.facility_mw * 8760 * 1000 * 0.08)


def test_all_it_power_is_heat_and_liquid_takes_its_share() -> None:
    air = dossier_of(design_of_preset("superpod-1su"))
    hybrid = dossier_of(design_of_preset("superpod-1su", {"cooling": "hybrid"}))

    assert isclose(air.cooling.heat_kw, air.design.counted.power.it_mw * 1000)
    assert isclose(air.cooling.air_kw, air.cooling.heat_kw)
    assert isclose(hybrid.cooling.liquid_kw, 32 * 10.2 * 0.7)


def errors(**settings: float | str | bool) -> dict[str, str]:
    """The error findings of a scalable unit under settings, with what would correct them."""
    dossier = dossier_of(design_of_preset("superpod-1su", settings))
    return {f.name: f.remedy for f in dossier.findings if f.severity == "error"}


def test_82_kilowatts_on_air_are_an_error_that_says_how_many_servers_fit() -> None:
    assert "at most 4 servers a rack" in errors(nodes_per_rack=8, rack_u=80)["rack-too-hot-for-air"]


def test_a_breaker_too_small_is_an_error_that_names_the_size_to_take() -> None:
    assert "breakers of 100 A" in errors(rack_feeds=2, rack_breaker_a=60)["breaker-too-small"]
    assert "breakers of 200 A" in errors(rack_feeds=2, rack_feed_v=208)["breaker-too-small"]


def test_the_fullest_phase_decides_what_a_feed_carries() -> None:
    level = design_of_preset("superpod-1su", {"rack_feeds": 2}).counted.power
    uneven = design_of_preset("superpod-1su", {"rack_feeds": 3}).counted.power

    assert level.phase_imbalance == 0
    assert isclose(level.feeds_kw_one_lost, level.feed_kw)
    assert isclose(uneven.feeds_kw_one_lost, 2 * uneven.feed_kw / 1.125)


def test_a_rack_of_one_feed_has_nothing_left_when_that_is_lost() -> None:
    """The breaker is still judged by what the one feed carries."""
    wide = dossier_of(design_of_preset("superpod-1su", {"rack_feeds": 1, "rack_breaker_a": 100}))

    assert wide.design.counted.power.feeds_kw_one_lost == 0
    assert "one-feed" in {f.name for f in wide.findings}
    assert "breaker-too-small" not in {f.name for f in wide.findings}
    assert "breakers of 100 A" in errors(rack_feeds=1, rack_breaker_a=60)["breaker-too-small"]


def test_half_the_supplies_of_a_dgx_h100_do_not_carry_it() -> None:
    dossier = dossier_of(design_of_preset("superpod-1su", {"rack_feeds": 2}))

    assert "supplies-short-on-one-feed" in {f.name for f in dossier.findings}


def test_supplies_without_a_spare_are_an_error() -> None:
    assert "at least 5" in errors(psus_per_node=4)["supplies-not-redundant"]
    assert "supplies-too-small" in errors(psus_per_node=3)


def test_two_tiers_over_their_limit_are_an_error() -> None:
    assert "tiers: 3" in errors(nodes=512, tiers=2, halls=1)["two-tiers-too-small"]
    assert "two-tiers-too-small" not in errors(nodes=256, tiers=2)


def test_three_tiers_over_their_limit_are_an_error() -> None:
    assert "radix: 72" in errors(nodes=9000, fabric="roce")["three-tiers-too-small"]


def test_more_ports_than_lids_are_an_error_on_infiniband_only() -> None:
    assert "lids-too-few" in errors(nodes=6000, radix=128)
    assert "lids-too-few" not in errors(nodes=6000, radix=128, fabric="roce")


def test_a_network_too_small_for_its_hosts_is_an_error() -> None:
    assert "addresses-too-few" in errors(compute_network="10.64.0.0/24")


def test_warnings_are_told_apart_from_errors() -> None:
    dossier = dossier_of(design_of_preset("superpod-1su", {"rack_feeds": 3}))

    assert dossier.buildable
    assert {f.name for f in dossier.findings if f.severity == "warning"} == {"rack-hot-for-air"}

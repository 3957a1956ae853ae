"""Every preset that comes along: it loads, can be built, and has the size that was published."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedule.errors import InputError
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from steps.design.figures import figure_specs
from steps.design.positions import drawing_of, item_names
from steps.design.preset import preset_names, profile_names, read_preset, read_profile

GPUS = {
    "superpod-1su": 256,
    "superpod-4su": 1024,
    "h100-1000-servers": 8000,
    "h100-10k": 10000,
    "meta-24k": 24576,
    "xai-100k": 100_000,
    "deepseek-2k": 2048,
    "llama3-16k": 16384,
    "gb200-nvl72": 72,
    "gb200-nvl72-su": 576,
    "tpu-v5p-pod": 8960,
}


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_can_be_built_as_it_comes(name: str) -> None:
    dossier = dossier_of(design_of_preset(name))

    assert [f.says for f in dossier.findings if f.severity == "error"] == []
    assert dossier.design.site.values["gpus"] == GPUS.get(name, dossier.design.site.values["gpus"])


def test_the_presets_that_were_promised_are_there() -> None:
    assert {*GPUS, "localhost", "lab"} <= set(preset_names())


@pytest.mark.parametrize("name", preset_names())
def test_every_figure_of_a_preset_names_its_source(name: str) -> None:
    for figure in read_preset(name).figures.values():
        assert figure.source.strip()


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_is_in_the_units_of_the_figures(name: str) -> None:
    profile = read_profile(name)

    assert {figure.unit for key, figure in profile.figures.items() if figure.unit != figure_specs()[key].unit} == set()


def test_a_figure_in_another_unit_is_refused_with_its_line(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "steps/design/presets/superpod-1su.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(text + "", encoding="utf-8")
    assert design_of_preset("mine", beside=tmp_path).site.values["nodes"] == 32

    (tmp_path / "mine.yaml").write_text(
        text.replace('unit: count, source: "NVIDIA', 'unit: rack, source: "NVIDIA'), encoding="utf-8"
    )
    with pytest.raises(InputError, match="nodes is in count, not in rack") as caught:
        design_of_preset("mine", beside=tmp_path)
    assert caught.value.place
    assert caught.value.place.line


def test_without_rails_a_tpu_pod_has_no_fabric_and_no_nvidia_steps() -> None:
    design = design_of_preset("tpu-v5p-pod")

    assert design.site.values["tiers"] == 0
    assert design.choices["gpu_vendor"] == "google"


def test_servers_without_rails_are_only_counted() -> None:
    design = design_of_preset("tpu-v5p-pod")

    assert item_names(drawing_of(design.figures, design.choices), "pod-001", "servers", 64) == ()

"""What a contract says of its benchmark: read, and refused where something is missing, strange or no number."""

from typing import NamedTuple

WHERE = "contract_benchmark_terms"
NUMBERS = ("server_tflops", "runs", "spread", "minutes")
OPTIONAL = ("tokens_s", "tolerance", "configuration", "job")


class Terms(NamedTuple):
    """What was agreed. `tokens_s` is 0 and `configuration` empty where nothing was."""

    server_tflops: float
    runs: int
    spread: float
    minutes: float
    tokens_s: float
    tolerance: float
    configuration: str
    job: dict


def why_no_contract(said: dict) -> str:
    """Return why these are no terms of a contract, or an empty text."""
    if not said:
        return f"no contract is known: set {WHERE} in the inventory"
    if missing := [name for name in NUMBERS if name not in said]:
        return f"{WHERE} lacks {', '.join(missing)}"
    if strange := sorted(set(said) - {*NUMBERS, *OPTIONAL}):
        return f"{WHERE} has {', '.join(strange)}, which is not among {', '.join((*NUMBERS, *OPTIONAL))}"
    numbers = (*NUMBERS, *(name for name in ("tokens_s", "tolerance") if name in said))
    if wrong := [name for name in numbers if not isinstance(said[name], int | float) or said[name] < 0]:
        return f"{', '.join(wrong)} of {WHERE} is no number of 0 or more"
    if not said["server_tflops"] or said["runs"] < 1 or said["runs"] != int(said["runs"]):
        return f"server_tflops of {WHERE} is more than 0, and runs a whole number"
    if ("tokens_s" in said) != ("tolerance" in said):
        return f"{WHERE} has one of tokens_s and tolerance: the agreed tokens a second, and by which share they may be missed"
    return "" if isinstance(said.get("job", {}), dict) else f"job of {WHERE} is no list of terms by name"


def terms_of(said: dict) -> Terms:
    """Return what was agreed, of terms that are fit."""
    optional = {"tokens_s": 0.0, "tolerance": 0.0, "configuration": "", "job": {}}
    return Terms(**{**optional, **said, "runs": int(said["runs"])})

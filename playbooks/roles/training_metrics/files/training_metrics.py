"""Instruments for training code: what a rank reports of its run, through the node exporter and to the tracking service.

A `Profile` records some steps of a run for a viewer of Chrome traces. A `Report` owns one file of series, which it replaces at most once a second, so that a step costs next to nothing. The
values of the last step stay after the end, with `training_active` 0. A tracking service that does not answer is said once
and training goes on: a run must not die of its instruments.
"""

import base64
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

WRITE_EVERY_S = 1.0
HELP = {
    "training_active": "1 while the run goes on.",
    "training_step": "Optimizer steps taken.",
    "training_last_step_timestamp_seconds": "When the last step ended.",
    "training_loss": "Loss of the last step.",
    "training_learning_rate": "Learning rate of the last step.",
    "training_gradient_norm": "Norm of the gradient of the last step.",
    "training_validation_accuracy": "Share of validation samples that were right.",
    "training_samples_per_second": "Samples of all ranks a second, over the last steps.",
    "training_tokens_per_second": "Tokens of all ranks a second, over the last steps.",
    "training_tokens_total": "Tokens of all ranks since the run's beginning.",
    "training_model_flops_per_second": "Floating-point operations that the model needs, of all ranks a second.",
    "training_step_seconds": "Time of a step.",
    "training_compute_seconds": "Time of a step in this rank's own forward and backward pass.",
    "training_collective_seconds": "Time of a step in collectives, waiting for others included.",
    "training_loader_wait_seconds": "Time of a step spent waiting for data.",
    "training_loader_wait_share": "Share of a step spent waiting for data.",
    "training_loader_cpu_seconds_total": "Processor time of the data loader.",
    "training_loader_queue_depth": "Batches that lie ready.",
    "training_checkpoint_total": "Checkpoints written.",
    "training_checkpoint_seconds": "Time that the last checkpoint took.",
    "training_checkpoint_bytes": "Size of the last checkpoint.",
    "training_checkpoint_timestamp_seconds": "When the last good checkpoint was written.",
    "training_checkpoint_interval_seconds": "Time between the last two checkpoints.",
    "training_restarts": "Times that the run was resumed from a checkpoint.",
}


class Report:
    """What a rank reports; `labels` say which run, rank, code and data it is about."""

    def __init__(self, folder: Path, labels: dict[str, str]) -> None:
        self._file = folder / f"training-{labels['run']}-{labels['rank']}.prom"
        self._told = ",".join(f"{name}={json.dumps(value)}" for name, value in labels.items())
        self._values: dict[str, float] = {}
        self._written = 0.0

    def set(self, **values: float) -> None:
        """Take values by name, without `training_`; they are exported within a second or two."""
        self._values |= {f"training_{name}": float(value) for name, value in values.items()}
        if time.monotonic() - self._written >= WRITE_EVERY_S:
            self.write()

    def write(self) -> None:
        """Export now; the exporter sees the old file or the new one, never a part."""
        lines = []
        for name, value in self._values.items():
            lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} gauge", f"{name}{{{self._told}}} {value!r}"]
        part = self._file.with_suffix(f".{os.getpid()}")
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
        part.replace(self._file)
        self._written = time.monotonic()


class Tracking:
    """A run in the tracking service (MLflow's REST interface); an empty address files it nowhere.

    Name, password and authority are in the variables that MLflow's own clients read. `run` is the number under which it is filed.
    """

    def __init__(self, url: str, experiment: str, name: str) -> None:
        self._url, self._name, self.run = url.rstrip("/"), name, ""
        if self._url:
            self._begin(experiment)

    def _begin(self, experiment: str) -> None:
        found = self._call("GET", f"experiments/get-by-name?experiment_name={experiment}")
        known = (found or {}).get("experiment", {}).get("experiment_id")
        if known is None:
            known = (self._call("POST", "experiments/create", name=experiment) or {}).get("experiment_id")
        if known is None:
            return
        terms = {"experiment_id": known, "run_name": self._name, "start_time": round(time.time() * 1000)}
        begun = self._call("POST", "runs/create", **terms)
        self.run = (begun or {}).get("run", {}).get("info", {}).get("run_id", "")

    def parameters(self, values: dict[str, object]) -> None:
        """File what is needed to repeat the run."""
        self._log(params=[{"key": name, "value": str(value)} for name, value in values.items()])

    def metrics(self, step: int, **values: float) -> None:
        """File figures of a step."""
        at = round(time.time() * 1000)
        self._log(metrics=[{"key": k, "value": v, "timestamp": at, "step": step} for k, v in values.items()])

    def end(self, status: str = "FINISHED") -> None:
        """Say how the run ended."""
        if self.run:
            self._call("POST", "runs/update", run_id=self.run, status=status, end_time=round(time.time() * 1000))

    def _log(self, **batch: list[dict[str, object]]) -> None:
        if self.run:
            self._call("POST", "runs/log-batch", run_id=self.run, **batch)

    def _call(self, method: str, path: str, **body: object) -> dict | None:
        text = json.dumps(body).encode() if body else None
        account = ":".join(os.environ.get(f"MLFLOW_TRACKING_{word}", "") for word in ("USERNAME", "PASSWORD"))
        headers = {
            "Authorization": f"Basic {base64.b64encode(account.encode()).decode()}",
            "Content-Type": "application/json",
        }
        request = urllib.request.Request(f"{self._url}/api/2.0/mlflow/{path}", text, headers, method=method)
        try:
            trust = ssl.create_default_context(cafile=os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH"))
            with urllib.request.urlopen(request, timeout=20, context=trust) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                print(f"tracking: {path}: {error}", file=sys.stderr)
        except (OSError, ValueError) as error:
            print(f"tracking: {path}: {error}; this run is filed nowhere from here on", file=sys.stderr)
            self.run = ""
        return None


class Profile:
    """A profile of the steps from one to another, left as `trace.json`; an empty list profiles none."""

    def __init__(self, folder: Path, steps: list[int]) -> None:
        self._file, self._steps, self._profiler = folder / "trace.json", steps, None

    def stepped(self, step: int) -> None:
        """Begin or end the profile where its steps say so."""
        if self._steps and step == self._steps[0]:
            from torch.profiler import ProfilerActivity, profile

            self._profiler = profile(activities=[ProfilerActivity.CPU])
            self._profiler.start()
        elif self._profiler and step == self._steps[1]:
            self._profiler.stop()
            self._profiler.export_chrome_trace(str(self._file))
            self._profiler = None

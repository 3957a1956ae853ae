"""Let training runs log in to the tracking service: make their account, if they cannot. Prints `made` where it was made.

Argument: the service's address on this host. What they log in with, and what the administrator does, only root can read.
"""

import base64
import json
import sys
import urllib.error
import urllib.request
from configparser import RawConfigParser
from pathlib import Path

SECRETS = Path("/etc/clusterwright/secrets")
EXPERIMENT = "clusterwright"


class Caller:
    """One account of the service."""

    def __init__(self, url: str, name: str, password: str) -> None:
        self.url = f"{url}/api/2.0/mlflow/"
        login = base64.b64encode(f"{name}:{password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}

    def ask(self, path: str, **body: str) -> dict:
        """Return what the service answers."""
        text = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(urllib.request.Request(self.url + path, text, self.headers), timeout=30) as answer:
            return json.load(answer)

    def refused(self, path: str) -> int:
        """Return the status with which the service refuses, or 0 where it does not."""
        try:
            self.ask(path)
        except urllib.error.HTTPError as error:
            return error.code
        return 0


def main() -> None:
    """Make the account, and let it file runs in an experiment that was there before there were accounts."""
    words = (SECRETS / "tracking.env").read_text().splitlines()
    name, password = (word.partition("=")[2] for word in words)
    training = Caller(sys.argv[1], name, password)
    if training.refused("experiments/search?max_results=1") != 401:
        return
    settings = RawConfigParser()
    settings.read(SECRETS / "mlflow.ini")
    admin = Caller(sys.argv[1], settings["mlflow"]["admin_username"], settings["mlflow"]["admin_password"])
    admin.ask("users/create", username=name, password=password)
    filed = f"experiments/get-by-name?experiment_name={EXPERIMENT}"
    if not admin.refused(filed):
        number = admin.ask(filed)["experiment"]["experiment_id"]
        admin.ask("experiments/permissions/create", experiment_id=number, username=name, permission="MANAGE")
    print("made")


if __name__ == "__main__":
    main()

"""Proves that services want a log-in: each is asked over the network without a certificate and without a password.

Arguments: addresses, each as `HOST:PORT/PATH`. Runs on a host that may reach them, so that a closed port is not taken for a
log-in. Each is asked over TLS and in clear text. A service that cannot be reached is not measured.
"""

import http.client
import json
import ssl
import sys

REFUSED = {400, 401, 403}
STRANGER = ssl.create_default_context()
STRANGER.check_hostname = False
STRANGER.verify_mode = ssl.CERT_NONE


def status(connection: http.client.HTTPConnection, path: str) -> int:
    """Return with which status a service answers, or 0 if it ends the connection instead."""
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def answers(address: str) -> list[str]:
    """Return what a service answers to a stranger. OSError means that nothing is there."""
    place, _, path = address.partition("/")
    http.client.HTTPConnection(place, timeout=10).connect()
    said = {
        "over TLS": status(http.client.HTTPSConnection(place, timeout=10, context=STRANGER), f"/{path}"),
        "in clear text": status(http.client.HTTPConnection(place, timeout=10), f"/{path}"),
    }
    return [f"{address} answers {code} {how}" for how, code in said.items() if code and code not in REFUSED]


def main() -> None:
    """Ask each, and count those that answer."""
    addresses, found, missing = sys.argv[1:], [], []
    for address in addresses:
        try:
            found.append(answers(address))
        except OSError as error:
            missing.append(f"{address}: {error}")
    said = missing + [" and ".join(one) for one in found if one]
    note = "; ".join(said) or f"{len(addresses)} services answer nobody without a certificate or a password"
    value = None if missing else sum(map(bool, found))
    print(json.dumps({"service.answers_without_login": {"value": value, "note": note}}))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Certifies controllers of servers by the site's authority, anew when a third of their days is left: `bmc-certificates`.

Each controller makes its own key, and a signing request for it by Redfish (CertificateService). The names in its certificate come from the
inventory, whatever the request says. What it serves afterwards is read back. Each run writes when certificates end, for the node exporter.
Prints who has a new one. One that fails does not hold up the others, and keeps the certificate that it has.
"""

import base64
import http.client
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TERMS = Path("/etc/clusterwright/secrets/bmcs.json")
AUTHORITY = Path("/etc/clusterwright/authority.pem")
EARLIER = Path("/etc/clusterwright/bmc_authority.pem")
REQUESTS, ISSUED = Path("/var/lib/site_authority/requests"), Path("/var/lib/site_authority/issued")
SIGN = "/usr/local/sbin/site-authority"
SERIES = Path("/var/lib/prometheus/node-exporter/bmc_certificates.prom")
AT_ONCE = 32
# a controller takes its time to make a key, and restarts its web server with a new certificate
ANSWERS_S, SERVES_S = 60, 120
FAILURES = (OSError, ValueError, LookupError, http.client.HTTPException, subprocess.SubprocessError)


class Bmc:
    """One controller: what the inventory says of it, and what it answers."""

    def __init__(self, terms: dict, site: dict) -> None:
        self.name = terms["name"]
        self.address, self.port = terms["address"], terms.get("port", 443)
        self.names = terms["names"]
        account = f"{terms['username']}:{terms['password']}".encode()
        self.headers = {
            "Authorization": f"Basic {base64.b64encode(account).decode()}",
            "Content-Type": "application/json",
        }
        self.site = site
        self.problem = ""
        self.trust: ssl.SSLContext | None = None
        self.replaced_at = ""
        self.installs = ""

    def served(self, trust: ssl.SSLContext) -> "tuple[bytes, float]":
        """Return the certificate that it serves, and when that ends; raise unless its authority is trusted and it has the address."""
        connection = http.client.HTTPSConnection(self.address, self.port, timeout=ANSWERS_S, context=trust)
        try:
            connection.connect()
            seen = connection.sock.getpeercert()
            return connection.sock.getpeercert(binary_form=True), ssl.cert_time_to_seconds(seen["notAfter"])
        finally:
            connection.close()

    def is_good(self) -> bool:
        """Return whether it serves a certificate of the site's authority with more than a third of its days left."""
        for authority in (AUTHORITY, EARLIER):
            try:
                trust = ssl.create_default_context(cafile=authority)
                _, end = self.served(trust)
            except (FileNotFoundError, ssl.SSLCertVerificationError):
                continue
            self.trust = trust
            return authority == AUTHORITY and end - time.time() > self.site["days"] * 86400 / 3
        if not self.site["first_use"]:
            raise ValueError("no authority that is known here signed its certificate (see bmc_certificate_first_use)")
        self.trust = ssl.create_default_context()
        self.trust.check_hostname, self.trust.verify_mode = False, ssl.CERT_NONE
        return False

    def ask(self, path: str, body: "dict | None" = None) -> dict:
        """Return the document that answers a request."""
        connection = http.client.HTTPSConnection(self.address, self.port, timeout=ANSWERS_S, context=self.trust)
        try:
            connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, self.headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise ValueError(f"{path}: HTTP {answer.status}: {text[:300].decode('utf-8', 'replace')}")
        return json.loads(text) if text else {}

    def request(self) -> None:
        """Have it make a key, unless its certificate is good, and ask the authority to sign for that key."""
        if self.is_good():
            return
        actions = self.ask("/redfish/v1/CertificateService")["Actions"]
        made_at = actions["#CertificateService.GenerateCSR"]["target"]
        self.installs = actions["#CertificateService.ReplaceCertificate"]["target"]
        kept_in = self.https_certificates()
        self.replaced_at = self.ask(kept_in)["Members"][0]["@odata.id"]
        wanted = {
            "CommonName": self.name,
            "AlternativeNames": self.names,
            "CertificateCollection": {"@odata.id": kept_in},
        }
        signing = self.ask(made_at, wanted | self.site["subject"])["CSRString"]
        key = openssl("req", "-noout", "-pubkey", text=signing)
        asked = {"days": self.site["days"], "key": key, "names": self.names, "use": "serverAuth"}
        path = REQUESTS / f"{self.name}.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(asked, indent=4))

    def https_certificates(self) -> str:
        """Return where it lists the certificate of its web server."""
        for manager in self.ask("/redfish/v1/Managers")["Members"]:
            protocols = self.ask(manager["@odata.id"]).get("NetworkProtocol")
            https = self.ask(protocols["@odata.id"]).get("HTTPS", {}) if protocols else {}
            if "Certificates" in https:
                return https["Certificates"]["@odata.id"]
        raise LookupError("none of its managers lists the certificate of its web server")

    def install(self) -> None:
        """Bring the certificate that was signed for its new key, and wait until it serves that."""
        if not self.installs:
            return
        certificate, asked = (
            (ISSUED / f"{self.name}.pem").read_text(),
            json.loads((REQUESTS / f"{self.name}.json").read_text()),
        )
        if openssl("x509", "-noout", "-pubkey", text=certificate) != asked["key"]:
            raise ValueError("the authority has not signed for its new key")
        replaced = {"CertificateString": certificate, "CertificateType": "PEM"}
        self.ask(self.installs, replaced | {"CertificateUri": {"@odata.id": self.replaced_at}})
        trust, wanted = ssl.create_default_context(cafile=AUTHORITY), ssl.PEM_cert_to_DER_cert(certificate)
        end = time.monotonic() + SERVES_S
        while not self.serves(trust, wanted):
            if time.monotonic() > end:
                raise ValueError(f"it does not serve the new certificate {SERVES_S} s after it took it")
            time.sleep(1)
        print(f"{self.name}: new certificate")

    def serves(self, trust: ssl.SSLContext, wanted: bytes) -> bool:
        """Return whether it serves this certificate. While its web server restarts it serves none."""
        try:
            return self.served(trust)[0] == wanted
        except OSError:
            return False

    def end(self) -> "float | None":
        """Return when the certificate that it serves ends; None if it serves none of the site's authority."""
        try:
            return self.served(ssl.create_default_context(cafile=AUTHORITY))[1]
        except OSError:
            return None


def main() -> int:
    """Request, sign, install, and say when what is served ends."""
    terms = json.loads(TERMS.read_text())
    bmcs = [Bmc(one, terms) for one in terms["bmcs"]]
    with ThreadPoolExecutor(AT_ONCE) as at_once:
        each(at_once, Bmc.request, bmcs)
        if any(bmc.installs for bmc in bmcs):
            signed = subprocess.run([SIGN], capture_output=True, text=True, check=False)
            print(signed.stderr, end="", file=sys.stderr)
        each(at_once, Bmc.install, [bmc for bmc in bmcs if not bmc.problem])
        ends = zip(bmcs, at_once.map(Bmc.end, bmcs), strict=True)
        write_series((bmc.address, end) for bmc, end in ends if end is not None)
    for bmc in bmcs:
        if bmc.problem:
            print(f"{bmc.name} ({bmc.address}): {bmc.problem}", file=sys.stderr)
    return int(any(bmc.problem for bmc in bmcs))


def each(at_once: ThreadPoolExecutor, do: Callable[[Bmc], None], bmcs: Iterable[Bmc]) -> None:
    """Do something with each controller, and note at those that fail why."""

    def tried(bmc: Bmc) -> None:
        try:
            do(bmc)
        except FAILURES as error:
            bmc.problem = f"{error or type(error).__name__} {getattr(error, 'stderr', '') or ''}".strip()

    list(at_once.map(tried, bmcs))


def write_series(ends: "Iterable[tuple[str, float]]") -> None:
    """Leave when certificates end, in Prometheus's text format."""
    lines = [f'certificate_not_after_seconds{{path="https://{address}"}} {end}' for address, end in ends]
    SERIES.parent.mkdir(parents=True, exist_ok=True)
    part = SERIES.with_suffix(".new")
    part.write_text("\n".join(["# TYPE certificate_not_after_seconds gauge", *lines, ""]))
    part.rename(SERIES)


def openssl(*arguments: str, text: str) -> str:
    """Return what openssl prints of a text."""
    return subprocess.run(["openssl", *arguments], input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())

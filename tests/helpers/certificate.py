"""Certificates for tests, made with openssl: of an authority and of servers that it signs."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Authority:
    """An authority that signs certificates, with its files in one folder."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> "Authority":
        """Make a new authority in a folder."""
        made = cls(folder)
        _openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", f"{folder}/ca.key", "-out", str(made.file), "-subj", "/CN=test authority",
            "-days", "2", "-addext", "keyUsage=critical,keyCertSign",
        )  # fmt: skip
        return made

    @property
    def file(self) -> Path:
        """The authority's own certificate, which clients trust."""
        return self.folder / "ca.pem"

    def sign(self, name: str, alternatives: str) -> tuple[Path, Path]:
        """Return the files of a new certificate and of its key.

        ``alternatives`` are the names for which the certificate is valid, such as
        ``DNS:a.test,IP:127.0.0.2``.
        """
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        _openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", str(key), "-out", str(certificate), "-subj", f"/CN={name}", "-days", "2",
            "-CA", str(self.file), "-CAkey", f"{self.folder}/ca.key",
            "-addext", f"subjectAltName={alternatives}", "-addext", "basicConstraints=CA:FALSE",
        )  # fmt: skip
        return certificate, key


def self_signed(folder: Path, alternatives: str) -> tuple[Path, Path]:
    """Return the files of a new self-signed certificate and of its key."""
    certificate, key = folder / "self.pem", folder / "self.key"
    _openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=server", "-days", "2",
        "-addext", f"subjectAltName={alternatives}",
    )  # fmt: skip
    return certificate, key


def encrypted(key: Path) -> Path:
    """Return the file of a password-encrypted copy of ``key``."""
    file = key.with_suffix(".encrypted")
    _openssl("pkey", "-in", str(key), "-aes256", "-passout", "pass:secret", "-out", str(file))
    return file


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)

"""`provhouse ingest --captured ADDRESS` passes an address on as it was typed."""

from pathlib import Path

import pytest

from provhouse.cli.app import run
from provhouse.ingest.landing import land_left
from provhouse.model.errors import BadInput
from provhouse.store.warehouse.layout import Layout


@pytest.mark.parametrize("address", ["hdfs://namenode:8020/a b/lineage", "s3a://bucket/lineage"])
def test_an_address_keeps_its_slashes(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fetch(address: str, layout: Layout) -> list[Path]:
        asked.append(address)
        raise BadInput("There is no captured application here")

    monkeypatch.setattr(land_left, "fetch", fetch)
    given = ["--warehouse", str(tmp_path), "ingest", "--captured", address]
    assert run(given) == BadInput.exit_status
    assert asked == [address]

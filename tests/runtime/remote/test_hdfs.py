"""Errors of the Java process with Hadoop's client."""

import gc
import shutil
from pathlib import Path

import pytest

from provhouse.model.errors import Unavailable
from provhouse.runtime.remote import hdfs
from provhouse.runtime.remote.hdfs import HdfsObjects


# py4j leaves a file open if Java does not start
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
@pytest.mark.parametrize("java", ["false", "missing"])
def test_a_client_that_does_not_start_is_reported(
    java: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hdfs, "java", lambda: Path(shutil.which(java) or java))
    with pytest.raises(Unavailable, match="Cannot use hdfs://host:1/house") as raised:
        HdfsObjects("hdfs://host:1/house")
    assert "does not start" in raised.value.found
    del raised
    gc.collect()


def test_a_pyspark_without_its_jars_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(hdfs, "find_spec", lambda _: Spec)
    monkeypatch.setattr(hdfs, "java", lambda: Path("java"))
    with pytest.raises(Unavailable) as raised:
        HdfsObjects("hdfs://host:1/house")
    assert "Could not find py4j jar" in raised.value.found

"""Deletions in a bucket, by the requests that boto3 sends."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from provhouse.model.errors import Unavailable
from provhouse.runtime.remote.remote_manifest import FILES, MANIFESTS, delete_unlisted
from provhouse.runtime.remote.s3 import S3Objects

stub = pytest.importorskip("botocore.stub")
BUCKET = {"Bucket": "shop"}
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch) -> S3Objects:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    return S3Objects("shop", "house/")


@pytest.fixture
def answers(objects: S3Objects) -> Iterator[Any]:
    """The expected requests with their answers, in order."""
    with stub.Stubber(objects._client) as expected:
        yield expected
        expected.assert_no_pending_responses()


def file(token: int) -> str:
    return f"house/{FILES}{token:012d}/base-1/names"


def versions(answers: Any, prefix: str, **found: list[str]) -> None:
    listed = {
        kind: [{"Key": key, "VersionId": "1"} for key in keys] for kind, keys in found.items()
    }
    answers.add_response("list_object_versions", listed, {**BUCKET, "Prefix": prefix})


def test_only_uploads_of_earlier_writers_are_ended(objects: S3Objects, answers: Any) -> None:
    uploads = [{"Key": file(token), "UploadId": str(token)} for token in (3, 5)]
    uploads.append({"Key": f"house/{FILES}of another program", "UploadId": "x"})
    answers.add_response(
        "list_multipart_uploads", {"Uploads": uploads}, {**BUCKET, "Prefix": f"house/{FILES}"}
    )
    answers.add_response("abort_multipart_upload", {}, {**BUCKET, "Key": file(3), "UploadId": "3"})
    objects.drop_unfinished(3)


def test_versions_of_objects_that_were_deleted_before_are_deleted(
    objects: S3Objects, answers: Any
) -> None:
    answers.add_response("list_multipart_uploads", {})
    answers.add_response("get_bucket_versioning", {"Status": "Suspended"}, BUCKET)
    versions(answers, f"house/{FILES}", Versions=[file(2), file(5)], DeleteMarkers=[file(2)])
    versions(answers, file(2), Versions=[file(2)], DeleteMarkers=[file(2), f"{file(2)}-more"])
    versions(answers, f"house/{MANIFESTS}")
    deleted = {"Objects": [{"Key": file(2), "VersionId": "1"}] * 2, "Quiet": True}
    answers.add_response("delete_objects", {}, {**BUCKET, "Delete": deleted})
    delete_unlisted(objects, 3, f"{MANIFESTS}{3:012d}", {})


def test_a_bucket_that_does_not_tell_whether_it_keeps_versions_is_reported(
    objects: S3Objects, answers: Any
) -> None:
    answers.add_client_error("get_bucket_versioning", "AccessDenied", "Access denied", 403)
    found = {"Key": file(2), "LastModified": WHEN}
    answers.add_response(
        "list_objects_v2", {"Contents": [found]}, {**BUCKET, "Prefix": f"house/{FILES}"}
    )
    assert [*objects.stored(FILES)] == [file(2).removeprefix("house/")]
    assert objects.remains().endswith("keeps versions of deleted objects: Access denied")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("AWS_PROFILE", "absent", "The config profile (absent) could not be found"),
        ("AWS_CONFIG_FILE", "broken", "Unable to parse config file"),
        ("AWS_ENDPOINT_URL", "no address", "Invalid endpoint"),
    ],
)
def test_an_unusable_configuration_is_reported(
    name: str, value: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)  # it remembers the configuration
    (tmp_path / "broken").write_text("[")
    monkeypatch.setenv(name, str(tmp_path / value) if value == "broken" else value)
    with pytest.raises(Unavailable, match="Cannot use s3://shop/house/") as raised:
        S3Objects("shop", "house/")
    assert found in raised.value.found

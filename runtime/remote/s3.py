"""Objects in a bucket of S3, or of a storage with the same protocol.

Credentials, region and endpoint come from the environment, as boto3 and deltalake take them.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import Unavailable
from provhouse.runtime.packages import Deferred, package

from .objects import StoredObject, Unclear
from .remote_manifest import FILES, is_written_by

if TYPE_CHECKING:
    import boto3
else:
    boto3 = Deferred("boto3")

CONNECTIONS = 16
AT_ONCE = 1000
"""The largest number of objects that one request deletes."""
_ABSENT = {"NoSuchKey", "404"}


class S3Objects:
    """The objects of a bucket whose keys begin with a prefix."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self._bucket, self._prefix = bucket, prefix
        self._client = _client(f"s3://{bucket}/{prefix}")
        self._versions: bool | None = None
        self._remains = ""

    @property
    def place(self) -> str:
        """The address and the endpoint."""
        return f"s3://{self._bucket}/{self._prefix} at {self._client.meta.endpoint_url}"

    def create(self, key: str, content: bytes) -> bool:
        """Write an object unless one with this key exists; return whether it was written."""
        errors = package("botocore.exceptions")
        try:
            self._client.put_object(
                Bucket=self._bucket, Key=self._prefix + key, Body=content, IfNoneMatch="*"
            )
            return True
        except errors.ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if status == 412:
                return False
            if status == 409 or (status >= 500 and status != 501):
                raise Unclear(*self._failed(error).args) from error
            raise self._failed(error) from error
        except errors.BotoCoreError as error:
            if isinstance(error, errors.NoCredentialsError | errors.PartialCredentialsError):
                raise self._failed(error) from error
            raise Unclear(*self._failed(error).args) from error

    def write(self, key: str, content: bytes) -> None:
        """Write or replace a small object."""
        with self._translated():
            self._client.put_object(Bucket=self._bucket, Key=self._prefix + key, Body=content)

    def upload(self, key: str, file: Path) -> None:
        """Write or replace an object with the content of a file."""
        with self._translated():
            self._client.upload_file(str(file), self._bucket, self._prefix + key)

    def read(self, key: str) -> bytes | None:
        """Return the content of a small object, or None if it does not exist."""
        with self._translated():
            try:
                found = self._client.get_object(Bucket=self._bucket, Key=self._prefix + key)
                content: bytes = found["Body"].read()
                return content
            except self._client.exceptions.NoSuchKey:
                return None

    def download(self, key: str, file: Path) -> bool:
        """Write the content of an object to a file; return False if the object does not exist."""
        errors = package("botocore.exceptions")
        with self._translated():
            try:
                self._client.download_file(self._bucket, self._prefix + key, str(file))
            except errors.ClientError as error:
                if error.response["Error"]["Code"] in _ABSENT:
                    return False
                raise
        return True

    def listed(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """Yield the objects whose keys begin with ``prefix`` and come after ``after``, in order."""
        start = {"StartAfter": self._prefix + after} if after else {}
        with self._translated():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix, **start
            )
            for page in pages:
                for each in page.get("Contents", ()):
                    key = each["Key"].removeprefix(self._prefix)
                    yield StoredObject(key, each["LastModified"].timestamp())

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects, with all their versions if the bucket keeps versions."""
        with self._translated():
            named: Iterable[dict[str, str]] = ({"Key": self._prefix + key} for key in keys)
            if self._keeps_versions():
                named = (
                    {"Key": found["Key"], "VersionId": found["VersionId"]}
                    for each in named
                    for found in self._versions_with(each["Key"])
                    if found["Key"] == each["Key"]
                )
            left = iter(named)
            while some := list(islice(left, AT_ONCE)):
                done = self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": some, "Quiet": True}
                )
                for refused in done.get("Errors", ()):
                    if refused.get("Code") not in _ABSENT:
                        self._remains = (
                            f"The storage refused to delete {refused['Key']}: "
                            f"{refused.get('Message') or refused.get('Code')}"
                        )

    def stored(self, prefix: str) -> Iterator[str]:
        """Yield the keys of all objects, and of deleted ones if the bucket keeps versions."""
        with self._translated():
            if not self._keeps_versions():
                yield from (found.key for found in self.listed(prefix))
                return
            found = {each["Key"] for each in self._versions_with(self._prefix + prefix)}
        yield from sorted(key.removeprefix(self._prefix) for key in found)

    def drop_unfinished(self, token: int) -> None:
        """Delete the parts of uploads that were never completed."""
        with self._translated():
            pages = self._client.get_paginator("list_multipart_uploads").paginate(
                Bucket=self._bucket, Prefix=self._prefix + FILES
            )
            for page in pages:
                for each in page.get("Uploads", ()):
                    if is_written_by(each["Key"].removeprefix(self._prefix), token):
                        self._client.abort_multipart_upload(
                            Bucket=self._bucket, Key=each["Key"], UploadId=each["UploadId"]
                        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def remains(self) -> str:
        """Return a sentence about deleted content that the storage keeps; empty if it keeps none.

        Copies that the bucket's rules make in other buckets are not known here.
        """
        return self._remains

    def _keeps_versions(self) -> bool:
        """Return whether the bucket keeps versions, or has kept some.

        If the storage does not tell, ``remains`` says so.
        """
        if self._versions is None:
            errors = package("botocore.exceptions")
            try:
                found = self._client.get_bucket_versioning(Bucket=self._bucket)
                self._versions = "Status" in found
            except errors.ClientError as error:
                self._versions = False
                self._remains = (
                    f"It is not known whether the bucket {self._bucket} keeps versions of deleted "
                    f"objects: {error.response['Error'].get('Message', error)}"
                )
        return self._versions

    def _versions_with(self, prefix: str) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("list_object_versions").paginate(
            Bucket=self._bucket, Prefix=prefix
        )
        for page in pages:
            yield from (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        errors = package("botocore.exceptions")
        transfer = package("boto3.exceptions")
        try:
            yield
        except (errors.ClientError, errors.BotoCoreError, transfer.Boto3Error) as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> Unavailable:
        return _unusable(self.place, error)


def _unusable(place: str, error: Exception) -> Unavailable:
    return Unavailable(
        f"Cannot use {place}",
        next(iter(str(error).splitlines()), type(error).__name__),
        "Check the address and the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
        "AWS_REGION, AWS_PROFILE and AWS_ENDPOINT_URL",
    )


def _client(place: str) -> Any:
    """Return a client with the credentials, the region and the endpoint of the environment.

    Raises Unavailable if they cannot be used.
    """
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    given = "AWS_ENDPOINT_URL" in os.environ or "AWS_ENDPOINT_URL_S3" in os.environ
    config = package("botocore.config").Config(
        connect_timeout=10,
        read_timeout=60,
        max_pool_connections=CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": 4},
        # Other storages may know neither newer checksums nor host names for buckets.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if given else "auto"},
    )
    try:
        return boto3.client("s3", region_name=region, config=config)
    except (package("botocore.exceptions").BotoCoreError, ValueError) as error:
        raise _unusable(place, error) from error

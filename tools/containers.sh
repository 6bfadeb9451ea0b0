#!/bin/sh
# Lint docker/: the Dockerfile with hadolint, the compose files and the manifest of Kubernetes with their published
# schemas, the entrypoint for syntax. The linters are in .long/containers, because their packages are not those of provhouse.
set -eu
cd "$(dirname "$0")/.."
tools=.long/containers

[ -x $tools/bin/hadolint ] || .venv/bin/python -m venv $tools
$tools/bin/pip --disable-pip-version-check install --quiet --require-hashes -r locks/containers.lock

$tools/bin/hadolint docker/Dockerfile
$tools/bin/check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml docker/compose.neo4j.yaml \
    docker/compose.tls.yaml docker/compose.cluster.yaml
$tools/bin/kubernetes-validate --strict docker/kubernetes.yaml docker/kubernetes.nightly.yaml
sh -n docker/entrypoint.sh

"""The manifests for Kubernetes name what the image and provhouse have.

`make containers` validates them against the published schemas of Kubernetes.
"""

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from typer.main import get_command

from provhouse.cli.app import app
from provhouse.model.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "containers.md").read_text(encoding="utf-8")
USER = 10001


def objects(name: str) -> dict[str, Any]:
    """Return the objects of a manifest, by their kind."""
    found = yaml.safe_load_all((ROOT / "docker" / name).read_text(encoding="utf-8"))
    return {each["kind"]: each for each in found}


SERVER = objects("kubernetes.yaml")
NIGHTLY = objects("kubernetes.nightly.yaml")
POD = SERVER["StatefulSet"]["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
"""The container of the server."""
VARIABLES = {each["name"]: each["value"] for each in CONTAINER["env"]}


def test_the_server_listens_where_the_service_leads() -> None:
    settings = Settings.load({}, VARIABLES)
    (port,) = CONTAINER["ports"]
    (led,) = SERVER["Service"]["spec"]["ports"]
    assert settings.server_address == f"0.0.0.0:{port['containerPort']}"
    assert (led["port"], led["targetPort"]) == (port["containerPort"], port["name"])
    assert settings.server_names == SERVER["Service"]["metadata"]["name"]
    labels = SERVER["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    assert SERVER["Service"]["spec"]["selector"].items() <= labels.items()


def test_the_probes_run_the_health_check_of_the_image() -> None:
    assert re.search(r"^COPY docker/\S+ docker/healthcheck.py /opt/docker/$", DOCKERFILE, re.M)
    for probe in ("startupProbe", "livenessProbe"):
        assert CONTAINER[probe]["exec"]["command"] == ["python", "/opt/docker/healthcheck.py"]
    assert '"python", "/opt/docker/healthcheck.py"' in DOCKERFILE


def test_the_container_writes_only_where_it_may() -> None:
    volumes = {each["name"] for each in POD["volumes"]}
    claims = {
        each["metadata"]["name"] for each in SERVER["StatefulSet"]["spec"]["volumeClaimTemplates"]
    }
    mounts = {each["mountPath"]: each for each in CONTAINER["volumeMounts"]}
    assert {each["name"] for each in mounts.values()} == volumes | claims
    assert CONTAINER["securityContext"]["readOnlyRootFilesystem"]
    written = {path for path, each in mounts.items() if not each.get("readOnly")}
    assert written == {"/warehouse", "/scratch", "/tmp", "/input"}
    assert 'VOLUME ["/warehouse", "/scratch"]' in DOCKERFILE
    assert mounts["/warehouse"]["name"] in claims


def test_secrets_are_where_the_image_reads_them_and_the_page_creates_them() -> None:
    mounts = {each["name"]: each["mountPath"] for each in CONTAINER["volumeMounts"]}
    entrypoint = (ROOT / "docker" / "entrypoint.sh").read_text(encoding="utf-8")
    assert f"SERVER_TOKEN_FILE:-{mounts['token']}}}" in entrypoint
    for name, file in (("CERTIFICATE", "tls.crt"), ("KEY", "tls.key")):
        assert VARIABLES[f"PROVHOUSE_SERVER_{name}"] == f"{mounts['tls']}/{file}"
    used = {each["secret"]["secretName"] for each in POD["volumes"] if "secret" in each}
    assert used == set(re.findall(r"kubectl create secret \w+ (\S+)", PAGE))


def test_the_pod_runs_as_the_user_of_the_image() -> None:
    assert f"--uid {USER}" in DOCKERFILE
    assert f"USER {USER}:{USER}" in DOCKERFILE
    security = POD["securityContext"]
    assert security["runAsNonRoot"]
    assert {security[name] for name in ("runAsUser", "runAsGroup", "fsGroup")} == {USER}


def test_the_nightly_job_runs_a_command_in_the_pod_of_the_server() -> None:
    pod = f"{SERVER['StatefulSet']['metadata']['name']}-0"
    job = NIGHTLY["CronJob"]["spec"]["jobTemplate"]["spec"]
    (container,) = job["template"]["spec"]["containers"]
    assert container["command"] == [
        *("kubectl", "exec", pod, f"--container={CONTAINER['name']}", "--")
    ]
    for rule in NIGHTLY["Role"]["rules"]:
        assert rule["resourceNames"] == [pod]
    account = NIGHTLY["ServiceAccount"]["metadata"]["name"]
    assert job["template"]["spec"]["serviceAccountName"] == account
    assert NIGHTLY["RoleBinding"]["subjects"] == [{"kind": "ServiceAccount", "name": account}]
    program, command, folder, *options = container["args"]
    assert program == "provhouse"
    assert folder in {each["mountPath"] for each in CONTAINER["volumeMounts"]}
    known = get_command(app).commands[command]  # type: ignore[attr-defined]
    known.make_context(command, [folder, *options], resilient_parsing=False)


def test_the_nightly_job_retries_what_the_page_says() -> None:
    page = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d, ]+) \|[^|]*\| ([^|]+) \|$", page, re.MULTILINE)
    final = {int(status) for status, do in rows if do.startswith("alert")}
    (rule,) = NIGHTLY["CronJob"]["spec"]["jobTemplate"]["spec"]["podFailurePolicy"]["rules"]
    assert rule["action"] == "FailJob"
    assert {*rule["onExitCodes"]["values"]} == final

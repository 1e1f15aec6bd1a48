#!/bin/sh
# Chromium as a user without rights in a network namespace without interfaces; its arguments are those of Chromium.
set -eu
for argument; do
  case $argument in --user-data-dir=*) profile=${argument#*=} ;; esac
done
if [ "$(id -u)" -eq 0 ]; then
  chown 65534:65534 "$profile"
  exec unshare --net setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all chromium "$@"
fi
exec unshare --map-current-user --net chromium "$@"

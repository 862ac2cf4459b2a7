#!/bin/sh
# The command signage-release: makes and signs release repositories, offline.
set -e
exec /usr/lib/signage-service/bin/node /usr/lib/signage-service/dist/main/release.js "$@"

#!/bin/sh
# The command signage-player: `status` tells which program runs and why; everything else goes to the running program.
set -e
launcher=/usr/lib/signage-player/launcher
case "$1" in
status)
  shift
  exec "$launcher/node" "$launcher/launcher.mjs" status "$@"
  ;;
*) exec "$launcher/node" "$launcher/launcher.mjs" run -- "$@" ;;
esac

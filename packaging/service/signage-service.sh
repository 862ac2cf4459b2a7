#!/bin/sh
# The command signage-service. Programs that use the service's data take that of the installed service, as its own user.
set -e
root=/usr/lib/signage-service
data=/var/lib/signage-service
program=$1
case "$program" in
backup | backup-key | restore-key | mirror | sign-in-link)
  shift
  set -- "$root/bin/node" "$root/dist/main/cli.js" "$program" --data "$data" "$@"
  # A file of another owner in the data folder would stop the service.
  [ "$(id -u)" != 0 ] || set -- setpriv --reuid=signage-service --regid=signage-service --init-groups "$@"
  exec "$@"
  ;;
move)
  shift
  set -- "$root/bin/node" "$root/dist/main/cli.js" move --from "$data" "$@"
  [ "$(id -u)" != 0 ] || set -- setpriv --reuid=signage-service --regid=signage-service --init-groups "$@"
  exec "$@"
  ;;
restore)
  shift
  umask 077
  "$root/bin/node" "$root/dist/main/cli.js" restore --data "$data" "$@"
  [ "$(id -u)" != 0 ] || [ ! -d "$data" ] || chown --recursive signage-service:signage-service "$data"
  ;;
*) exec "$root/bin/node" "$root/dist/main/cli.js" "$@" ;;
esac

#!/bin/sh
# Backs up the service's data into /var/backups/signage-service, then deletes all but the newest seven backups.
set -e
folder=/var/backups/signage-service
# A service that never ran has nothing to back up.
[ -e /var/lib/signage-service/state.db ] || exit 0
/usr/bin/signage-service backup --to "$folder/signage-service-$(date --utc +%Y%m%dT%H%M%SZ).tar"
find "$folder" -maxdepth 1 -type f -name 'signage-service-*.tar' | sort --reverse | tail --lines=+8 | while read -r old; do
  rm -- "$old"
done

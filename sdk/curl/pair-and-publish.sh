#!/usr/bin/env bash
# Pairs the player that shows CODE and shows PICTURE on it. Prints the player's id.
# Usage: SIGNAGE_URL=http://127.0.0.1:8080 SIGNAGE_TOKEN=sgn_pat_… pair-and-publish.sh CODE PICTURE
set -euo pipefail
code=$1 picture=$2
api="$SIGNAGE_URL/api/v1"

# Every POST has an idempotency key, so that a retry after a lost response does not run twice.
post() {
  curl --fail-with-body --silent --show-error --retry 3 \
    -H "Authorization: Bearer $SIGNAGE_TOKEN" -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" "$@"
}
# Extracts the "id" at the beginning of a response.
id() { sed -n 's/^{"id":"\([a-z]*_[0-9a-z]*\)".*/\1/p'; }

player=$(post "$api/players/pair" --json "{\"code\": \"$code\", \"name\": \"Lobby\"}" | id)
asset=$(post "$api/assets?name=$(basename "$picture")" -H "Content-Type: application/octet-stream" --data-binary "@$picture" | id)
playlist=$(post "$api/playlists" \
  --json "{\"name\": \"Lobby\", \"items\": [{\"type\": \"image\", \"asset_id\": \"$asset\", \"duration_ms\": 10000}]}" | id)
zone="{\"name\": \"main\", \"left\": 0, \"top\": 0, \"width\": 1920, \"height\": 1080, \"playlist_id\": \"$playlist\"}"
layout=$(post "$api/layouts" --json "{\"name\": \"Lobby\", \"width\": 1920, \"height\": 1080, \"zones\": [$zone]}" | id)
curl --fail-with-body --silent --show-error -X PATCH -H "Authorization: Bearer $SIGNAGE_TOKEN" \
  "$api/players/$player" --json "{\"layout_id\": \"$layout\"}" > /dev/null
echo "$player"

#!/bin/sh
# Rotates every output of the compositor to SIGNAGE_ROTATION degrees (0, 90, 180 or 270) where it is not rotated yet.
set -e
case "${SIGNAGE_ROTATION:-0}" in
0) wanted=normal ;;
90 | 180 | 270) wanted=$SIGNAGE_ROTATION ;;
*)
  echo "SIGNAGE_ROTATION in /etc/signage-player/session.env must be 0, 90, 180 or 270, not $SIGNAGE_ROTATION" >&2
  exit 1
  ;;
esac
# The compositor announces a display only some time after the kernel did, so look again a few times.
for try in 1 2 3 4 5; do
  wlr-randr | while IFS= read -r line; do
    case "$line" in
    '  Transform: '*) [ "${line#  Transform: }" = "$wanted" ] || wlr-randr --output "$output" --transform "$wanted" ;;
    [!\ ]*) output=${line%% *} ;; # The head of an output is not indented, such as: HDMI-A-1 "Maker Model"
    esac
  done
  [ "$try" = 5 ] || sleep 1
done

#!/bin/sh
# Turns every output of the compositor as SIGNAGE_ROTATION says, in degrees clockwise, where it is not turned yet.
set -e
case "${SIGNAGE_ROTATION:-0}" in
0) wanted=normal ;;
# wlr-randr counts counterclockwise.
90) wanted=270 ;;
180) wanted=180 ;;
270) wanted=90 ;;
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

#!/bin/sh
# Turns every output of the compositor as SIGNAGE_ROTATION says, in degrees clockwise, where it is not turned yet. A command that the
# player has carried out in this session counts more. Then maps touch screens to the first output, so that touch turns along.
set -e
# The transform for an angle. wlr-randr counts counterclockwise.
transform() {
  case "$1" in
  0) echo normal ;;
  90) echo 270 ;;
  180) echo 180 ;;
  270) echo 90 ;;
  *)
    echo "SIGNAGE_ROTATION in /etc/signage-player/session.env must be 0, 90, 180 or 270, not $1" >&2
    exit 1
    ;;
  esac
}
# labwc turns touch only with an output that its configuration names. The session has a copy of it, which labwc reads again.
map_touch() {
  config=${XDG_RUNTIME_DIR:-}/labwc/rc.xml
  line="  <touch mapToOutput=\"$1\"/>"
  [ -n "$1" ] && [ -w "$config" ] && ! grep -qxF "$line" "$config" || return 0
  sed -e '/<touch mapToOutput=/d' -e "s|^</labwc_config>|$line\\n&|" "$config" >"$config.new"
  mv "$config.new" "$config"
  labwc=$(systemctl show --property=MainPID --value signage-session.service)
  [ "${labwc:-0}" = 0 ] || kill -HUP "$labwc"
}
asked=${XDG_RUNTIME_DIR:-}/signage-rotation
# The compositor announces a display only some time after the kernel did, so look again a few times.
for try in 1 2 3 4 5; do
  wanted=$(transform "$(cat "$asked" 2>/dev/null || echo "${SIGNAGE_ROTATION:-0}")")
  outputs=$(wlr-randr || true)
  printf '%s\n' "$outputs" | while IFS= read -r line; do
    case "$line" in
    '  Transform: '*) [ "${line#  Transform: }" = "$wanted" ] || wlr-randr --output "$output" --transform "$wanted" ;;
    [!\ ]*) output=${line%% *} ;; # The head of an output is not indented, such as: HDMI-A-1 "Maker Model"
    esac
  done
  map_touch "${outputs%% *}"
  [ "$try" = 5 ] || sleep 1
done

#!/bin/sh
# Prints why the display session may not start and what to do: the console, another display manager, the graphics card. The paths are
# arguments for tests: explain-failure [FOLDER OF DEVICES].
set -e
devices=${1:-/dev}
say() {
  echo "signage-player: $*"
}
say "the display session has ended or could not start; it is tried again every five seconds."
found=
if ! [ -c "$devices/tty1" ]; then
  found=yes
  say "- there is no console $devices/tty1, which the session takes over. A container and a kernel without virtual terminals have none:"
  say "  run the player with --headless there, or use a machine with a display."
elif holder=$(ps -o pid=,comm= -t tty1 2>/dev/null) && [ -n "$holder" ]; then
  found=yes
  say "- other programs use the console $devices/tty1: $(echo "$holder" | tr -s ' \n' ' ')"
  say "  End them, such as by: systemctl disable --now getty@tty1.service"
fi
if systemctl --quiet is-active display-manager.service 2>/dev/null; then
  found=yes
  say "- a desktop uses the screen. Give it to the player: systemctl disable --now display-manager.service"
fi
if ! ls "$devices"/dri/card* >/dev/null 2>&1; then
  found=yes
  say "- no graphics card is ready ($devices/dri/card*): its driver or firmware may be missing (dmesg shows messages about it)."
fi
[ -n "$found" ] || say "- console and graphics card are there; the compositor's own messages say more."
say "Messages: journalctl --boot --unit=signage-session.service"

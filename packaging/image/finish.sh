#!/bin/sh
# Settings of the image's system ($1) that are not files of their own: mount points, enabled units, nothing that identifies a machine.
set -e
root=$1
echo signage >"$root/etc/hostname"
printf '127.0.0.1 localhost signage\n::1 localhost\n' >"$root/etc/hosts"
mkdir -p "$root/data" "$root/boot/efi" "$root/var/lib/signage-player" "$root/var/lib/signage-launcher"
chroot "$root" systemctl --quiet enable signage-repair.service systemd-repart.service
# A shell on the other consoles would only offer a login that nobody has.
chroot "$root" systemctl --quiet mask getty@tty1.service
chroot "$root" passwd --quiet --lock root
# Each machine makes its own.
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/var/lib/systemd/random-seed" "$root"/etc/ssh/ssh_host_*
rm -f "$root/etc/resolv.conf"
rm -rf "$root"/var/lib/signage-player/* "$root"/var/cache/apt/*.bin

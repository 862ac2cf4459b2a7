#!/bin/sh
# Asked by packages before they start a unit. 101 forbids it, 104 allows it (/usr/share/doc/init-system-helpers).
test ! -e /run/signage-image/no-unit-starts || exit 101
exit 104

// A package of Chromium with a higher version, made of the installed one: whole, or with a browser that ends at once.
import type { Machine } from "./machine.ts";

// The version gets a suffix of Debian's revision. The archives keep the installed version, as after any `apt-get install`.
const make = `set -e
cd /var/cache/apt/archives
installed=$(dpkg-query --show --showformat='\${Version}' chromium)
apt-get download chromium=$installed chromium-common=$installed chromium-sandbox=$installed
/usr/lib/signage-player/launcher/node /usr/lib/signage-player/launcher/launcher.mjs keep-browser < /dev/null
rm -rf /var/tmp/browser
dpkg-deb --raw-extract chromium_*.deb /var/tmp/browser
sed -i "s/^Version: .*/Version: $installed+signage1/; s/(= [^)]*)/(>= 1)/g" /var/tmp/browser/DEBIAN/control
if [ "$1" = broken ]; then printf '#!/bin/sh\\nexit 1\\n' > /var/tmp/browser/usr/lib/chromium/chromium; fi
dpkg-deb -Znone --root-owner-group --build /var/tmp/browser /var/tmp/chromium.deb
rm -rf /var/tmp/browser
`;

/** Installs it by apt while the player plays. @returns its version. */
export async function replaceBrowser(machine: Machine, kind: "whole" | "broken"): Promise<string> {
  await machine.call("apt-get", "update");
  await machine.call("sh", "-c", make, "sh", kind);
  await machine.apt("install", "/var/tmp/chromium.deb");
  return (await machine.call("dpkg-query", "--show", "--showformat=${Version}", "chromium")).trim();
}

// The Wi-Fi network as a profile of NetworkManager. Written as a file, so that the password is in no process list, and so that it works
// at boot, before NetworkManager runs.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hasErrorCode } from "../../base/fault.ts";
import type { SetupFile } from "../../protocol/device/setup-file.ts";

export type Wifi = NonNullable<SetupFile["wifi"]>;

/** The name of the profile, for `nmcli connection up`. */
export const profileName = "signage";

/** A profile in NetworkManager's keyfile format. Without a password the network is open. */
export function profileOf({ ssid, password, hidden = false }: Wifi): string {
  // The same for the same network, so that the file does not differ when nothing changed.
  const id = createHash("sha256").update(`signage-wifi ${ssid}`).digest("hex");
  const uuid = [id.slice(0, 8), id.slice(8, 12), `4${id.slice(13, 16)}`, `8${id.slice(17, 20)}`, id.slice(20, 32)].join("-");
  return [
    "# Written by signage-player setup.",
    "[connection]",
    `id=${profileName}`,
    `uuid=${uuid}`,
    "type=wifi",
    "autoconnect=true",
    "autoconnect-retries=0",
    "",
    "[wifi]",
    "mode=infrastructure",
    // As bytes, because a text has characters with a meaning in this format.
    `ssid=${[...Buffer.from(ssid)].map((byte) => `${byte};`).join("")}`,
    ...(hidden ? ["hidden=true"] : []),
    ...(password === undefined ? [] : ["", "[wifi-security]", "key-mgmt=wpa-psk", `psk=${escape(password)}`]),
    "",
    "[ipv4]",
    "method=auto",
    "",
    "[ipv6]",
    "method=auto",
    "",
  ].join("\n");
}

/** The name of the network in the profile at `path`; null without one. */
export async function readWifiName(path: string): Promise<string | null> {
  try {
    const bytes = /^ssid=((?:\d{1,3};)+)$/m.exec(await readFile(path, "utf8"))?.[1];
    return bytes === undefined ? null : Buffer.from(bytes.split(";").slice(0, -1).map(Number)).toString();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

function escape(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replace(/^ /, String.raw`\s`)
    .replace(/ $/, String.raw`\s`);
}

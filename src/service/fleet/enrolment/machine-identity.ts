// Tells whether two enrolments are of the same machine, by serial number and MAC address. Pure: no database.

/** A machine as it was reported, without placeholders. */
export interface MachineIdentity {
  serial: string | null;
  mac: string | null;
}

// Placeholders of manufacturers, in lower case and without spaces or punctuation.
const placeholders = new Set([
  "",
  "tobefilledbyoem",
  "defaultstring",
  "defaultserialnumber",
  "systemserialnumber",
  "chassisserialnumber",
  "baseboardserialnumber",
  "serialnumber",
  "serial",
  "oem",
  "none",
  "null",
  "na",
  "nil",
  "unknown",
  "unspecified",
  "notspecified",
  "notapplicable",
  "notavailable",
  "empty",
  "invalid",
  "default",
  "123456789",
  "1234567890",
  "0123456789",
  "12345678",
]);
const shortestSerial = 4;

/** The reported identity without placeholders. Serials are compared without surrounding spaces, and case does not matter. */
export function machineIdentityOf(reported: { serial: string | null; mac: string | null }): MachineIdentity {
  return { serial: serialOf(reported.serial), mac: macOf(reported.mac) };
}

/**
 * True if they are the same machine. Both the serial and the MAC address must be equal where both are known: a batch of boxes may
 * share a serial that is no known placeholder, and a network adapter may move to another box.
 */
export function isSameMachine(one: MachineIdentity, other: MachineIdentity): boolean {
  const comparisons = [equal(one.serial, other.serial), equal(one.mac, other.mac)];
  return comparisons.includes(true) && !comparisons.includes(false);
}

/** Null if one of them is unknown. */
function equal(one: string | null, other: string | null): boolean | null {
  return one === null || other === null ? null : one === other;
}

function serialOf(reported: string | null): string | null {
  const serial = (reported ?? "").replaceAll(/[^\w.:/+-]/g, "").toUpperCase();
  const bare = serial.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  // "0000000", "XXXXXXXX"
  const isOneCharacter = new Set(bare).size <= 1;
  return isOneCharacter || bare.length < shortestSerial || placeholders.has(bare) ? null : serial;
}

function macOf(reported: string | null): string | null {
  if (reported === null) return null;
  const mac = reported.toLowerCase();
  const first = Number.parseInt(mac.slice(0, 2), 16);
  // Addresses of groups, and those that software chose (locally administered), do not identify a machine.
  const isOwn = (first & 0b11) === 0;
  return isOwn && mac !== "00:00:00:00:00:00" ? mac : null;
}

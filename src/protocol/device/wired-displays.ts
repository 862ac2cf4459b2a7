// The file on a device in which its root user declares serial ports and hosts that commands may use.
import { z } from "zod";
import { DeclaredName } from "./machine-commands.ts";

/** A serial port, such as the RS-232 input of a display. */
const SerialPort = z.strictObject({
  name: DeclaredName,
  device: z.string().regex(/^\/dev\/[A-Za-z0-9/._:-]{1,200}$/, "must be a device such as /dev/ttyUSB0"),
  baud: z.literal([300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]).default(9_600),
  data_bits: z.literal([7, 8]).default(8),
  parity: z.enum(["none", "even", "odd"]).default("none"),
  stop_bits: z.literal([1, 2]).default(1),
});
export type SerialPort = z.infer<typeof SerialPort>;

/** A host and port that speak a display's protocol over TCP. */
const NetworkHost = z.strictObject({
  name: DeclaredName,
  host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, "must be a name or an address, without a port"),
  port: z.int().min(1).max(65_535),
});
export type NetworkHost = z.infer<typeof NetworkHost>;

const maxDeclared = 64;
const haveDistinctNames = (parts: readonly { name: string }[]): boolean => new Set(parts.map(({ name }) => name)).size === parts.length;
const twice = "must not have the same name twice";

export const WiredDisplays = z.strictObject({
  serial: z.array(SerialPort).max(maxDeclared).refine(haveDistinctNames, twice).default([]),
  network: z.array(NetworkHost).max(maxDeclared).refine(haveDistinctNames, twice).default([]),
});
export type WiredDisplays = z.infer<typeof WiredDisplays>;

// The commands serial.write and network.send: only to ports and hosts that the device's root user has declared.
import type { Clock } from "../../../base/clock.ts";
import { Fault } from "../../../base/fault.ts";
import type { WiredDisplays } from "../../../protocol/device/wired-displays.ts";
import type { DeclaredDevices } from "../../control/declared-devices.ts";
import { exchangeNetwork } from "../../control/network-host.ts";
import { exchangeSerial } from "../../control/serial-port.ts";
import { payloadBytes, wiredResult } from "../../control/wired-reply.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface WiredDisplaysDependencies {
  declared: DeclaredDevices;
  clock: Clock;
}

const deadlineMs = 30_000;
const limit = { count: 60, perMs: 60_000 };

export function wiredDisplayModules({ declared, clock }: WiredDisplaysDependencies): readonly CommandModule[] {
  const inUse = new Set<string>();

  function missing(kind: keyof WiredDisplays): string | null {
    const { displays } = declared;
    if (displays.is === "missing") return displays.reason;
    return displays.value[kind].length === 0 ? `the device declares no ${kind === "serial" ? "serial port" : "host"}` : null;
  }

  /** The declaration of this name, as the file has it now. */
  async function find<K extends keyof WiredDisplays>(kind: K, name: string): Promise<WiredDisplays[K][number]> {
    await declared.refresh();
    const { displays } = declared;
    const found = displays.is === "declared" ? displays.value[kind].find((each) => each.name === name) : undefined;
    if (found === undefined) throw new Fault("unsupported", `${name} is not declared on this device`);
    return found;
  }

  /** Bytes of two commands must not mix on one wire. */
  async function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (inUse.has(key)) throw new Fault("busy", "another command uses it now");
    inUse.add(key);
    try {
      return await work();
    } finally {
      inUse.delete(key);
    }
  }

  const serial: CommandModule<"serial.write"> = {
    type: "serial.write",
    deadlineMs,
    limit,
    missing: () => missing("serial"),
    async run({ args }, signal) {
      const port = await find("serial", args.port);
      const bytes = payloadBytes(args);
      const reply = await alone(port.device, () => exchangeSerial(port, bytes, args.reply_ms, clock, signal));
      return done(wiredResult(bytes, reply));
    },
  };
  const network: CommandModule<"network.send"> = {
    type: "network.send",
    deadlineMs,
    limit,
    missing: () => missing("network"),
    async run({ args }, signal) {
      const host = await find("network", args.host);
      const bytes = payloadBytes(args);
      const reply = await alone(`${host.host} ${host.port}`, () => exchangeNetwork(host, bytes, args.reply_ms, clock, signal));
      return done(wiredResult(bytes, reply));
    },
  };
  return [serial, network];
}

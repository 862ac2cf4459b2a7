// The commands that this player knows, by type, and which of them it is able to carry out.
import { Fault } from "../../base/fault.ts";
import { Capabilities } from "../../protocol/device/capabilities.ts";
import type { CommandType, DeviceCommand } from "../../protocol/device/command-request.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { DeclaredDevices } from "../control/declared-devices.ts";
import type { MachineControls } from "../machine-controls.ts";
import type { CommandMetadata } from "./command-metadata.ts";
import type { CommandModule, CommandOutcome } from "./command-module.ts";

export class CommandSet {
  readonly #modules: ReadonlyMap<string, CommandModule>;

  constructor(modules: readonly CommandModule[]) {
    this.#modules = new Map(modules.map((module) => [module.type, module]));
  }

  /** The module of a type; undefined if this player does not know it. */
  get(type: string): CommandModule | undefined {
    return this.#modules.get(type);
  }

  /** The types that the player carries out, and those that it is not able to, each with the requirement that it does not meet. */
  announce(): { commands: CommandType[]; unavailable: { type: CommandType; reason: string }[] } {
    const all = [...this.#modules.values()].map((module) => ({ type: module.type, reason: module.missing?.() ?? null }));
    return {
      commands: all.flatMap(({ type, reason }) => (reason === null ? [type] : [])),
      unavailable: all.flatMap(({ type, reason }) => (reason === null ? [] : [{ type, reason }])),
    };
  }

  /** The heartbeat's share of the commands: which the player carries out, and on which devices. */
  report({ display, audio }: MachineControls, { scripts, displays }: DeclaredDevices): Pick<Heartbeat, "capabilities"> {
    return {
      capabilities: Capabilities.parse({
        ...this.announce(),
        displays: display.outputs,
        inputs: display.inputs,
        audio_outputs: audio.outputs,
        scripts: scripts.is === "declared" ? scripts.value : [],
        serial_ports: displays.is === "declared" ? displays.value.serial.map(({ name }) => name) : [],
        network_hosts: displays.is === "declared" ? displays.value.network.map(({ name }) => name) : [],
      }),
    };
  }

  /** Why this player is not able to carry out commands of a type, for people; null: it is. */
  missing(type: string): string | null {
    const module = this.#modules.get(type);
    return module === undefined ? "this version of the screen's program does not know the command" : (module.missing?.() ?? null);
  }

  /** Carries out a command, without its deadline and limit. @throws Fault `unsupported` if this player is not able to. */
  async execute(command: DeviceCommand & CommandMetadata, signal: AbortSignal): Promise<CommandOutcome> {
    const missing = this.missing(command.type);
    if (missing !== null) throw new Fault("unsupported", missing);
    return this.#modules.get(command.type)!.run(command, signal);
  }
}

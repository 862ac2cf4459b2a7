// Runs inside the container of the part `controls`, in the player's own unit: uses the player's controls and prints what they did.
import { createLinuxMachine } from "../../src/host/linux/machine.ts";
import { setAndWait } from "../../src/player/control/set-and-read.ts";
import { createSystemClock } from "../../src/base/clock.ts";

const { signal } = new AbortController();
const clock = createSystemClock();
const machine = createLinuxMachine(process.env, "/", { mayControlPower: process.env["SIGNAGE_ALLOW_POWER"] === "1" });
const { controls } = machine;
const print = (about: object): void => void process.stdout.write(`${JSON.stringify(about)}\n`);

const actions: Readonly<Record<string, () => Promise<void>>> = {
  async sound() {
    const { volume, muted, output, outputs } = controls.audio;
    print({ by: volume?.by, outputs });
    // The last one leaves the sound at the output in the second place.
    for (const name of [...outputs.map((each) => each.name), null, outputs[1]!.name]) {
      if (name === null) await output!.set(null, signal);
      else print({ output: await setAndWait(output!, name, clock, signal) });
    }
    print({ volume: await setAndWait(volume!, 37, clock, signal), muted: await setAndWait(muted!, true, clock, signal) });
    print({ unmuted: await setAndWait(muted!, false, clock, signal) });
  },
  async power() {
    print({ run: machine.run?.id, obstacles: controls.powerObstacles });
  },
  async restart() {
    print({ run: machine.run?.id });
    await machine.restart!(signal);
    await clock.wait(60_000);
  },
  async shutdown() {
    await controls.shutdown!(signal);
    await clock.wait(60_000);
  },
};

await controls.probe(signal);
await actions[process.argv[2] ?? ""]!();

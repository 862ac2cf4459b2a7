// Controls of a machine with one display whose power a test reads, breaks and changes by hand, as with its remote control.
import { Fault } from "../../src/base/fault.ts";
import { noControls, type Control, type MachineControls, type Power } from "../../src/player/machine-controls.ts";

export class FakePower implements Control<Power> {
  readonly by = "fake-power";
  /** What the display is. */
  value: Power = "on";
  /** Whether the display tells what it is. */
  tells = true;
  /** The first line of the tool's error; null: it works. */
  error: string | null = null;
  /** Whether the display ignores what it is told. */
  isDeaf = false;
  /** Each value that was set, oldest first. */
  readonly sets: Power[] = [];
  reads = 0;
  readonly controls: MachineControls;
  #hotplug: () => void = () => undefined;

  constructor() {
    const controls = noControls();
    this.controls = {
      ...controls,
      display: { ...controls.display, power: this },
      follow: (listener, signal) => {
        this.#hotplug = listener;
        return controls.follow(listener, signal);
      },
    };
  }

  async set(value: Power): Promise<void> {
    this.sets.push(value);
    if (this.error !== null) throw new Fault("not-applied", this.error);
    if (!this.isDeaf) this.value = value;
  }

  async read(): Promise<Power | null> {
    this.reads += 1;
    return this.tells ? this.value : null;
  }

  /** A display is connected. */
  hotplug(): void {
    this.#hotplug();
  }
}

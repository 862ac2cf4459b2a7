// A machine's display in memory, whose controls a test breaks.
import { Fault } from "../../src/base/fault.ts";
import { type Control, type MachineControls, noControls } from "../../src/player/machine-controls.ts";

/** A setting in memory. */
class FakeControl<T> implements Control<T> {
  readonly by = "fake-tool";
  value: T | null;
  /** Null: it works. `lies`: it changes nothing. `dark`: since the next change nothing can be read back. A text: it fails so. */
  fault: "lies" | "dark" | { reason: string } | null = null;
  readonly sets: T[] = [];

  /** What null sets. */
  readonly #preferred: T | null;

  constructor(value: T | null) {
    this.value = value;
    this.#preferred = value;
  }

  async set(value: T): Promise<void> {
    this.sets.push(value);
    if (this.fault === "lies") return;
    if (this.fault !== null && this.fault !== "dark") throw new Fault("not-applied", this.fault.reason);
    this.value = this.fault === "dark" ? null : (value ?? this.#preferred);
    // It is dark with one value; the next one is shown again.
    if (this.fault === "dark") this.fault = null;
  }

  async read(): Promise<T | null> {
    return this.value;
  }
}

/** Controls whose displays are connected by `plug`. */
export function fakeDisplay() {
  const none = noControls();
  const parts = {
    brightness: new FakeControl<number>(80),
    rotation: new FakeControl<0 | 90 | 180 | 270>(0),
    mode: new FakeControl<{ width: number; height: number; refresh_hz?: number } | null>({ width: 1920, height: 1080, refresh_hz: 60 }),
    input: new FakeControl<string>("hdmi-1"),
    volume: new FakeControl<number>(50),
  };
  let plug = (): void => undefined;
  const controls: MachineControls = {
    ...none,
    display: { ...none.display, ...parts, inputs: ["hdmi-1", "hdmi-2"] },
    audio: { ...none.audio, volume: parts.volume },
    follow: (listener, signal) => {
      plug = listener;
      return none.follow(listener, signal);
    },
  };
  return { controls, ...parts, plug: () => plug() };
}

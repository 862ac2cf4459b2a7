// Tells when a sound card was connected or removed, by the device nodes that the kernel creates for it.
import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isAbort } from "../../../base/fault.ts";
import { isSystemError } from "../../../base/files/system-error.ts";

const folderName = "snd";
// The kernel creates a card's nodes one by one, and a sound server opens the card after that. It tells nobody when it is done.
const settleMs = [1_000, 5_000] as const;

export interface SoundCardsOptions {
  /** Other than `/dev` in tests. */
  devices?: string;
  /** How long after a change `listener` is called, each time counted from the call before. */
  settleMs?: readonly number[];
}

/** Calls `listener` some time after the last of several changes, and once more in case the sound server was slow. Ends with `signal`. */
export function watchSoundCards(listener: () => void, signal: AbortSignal, options: SoundCardsOptions = {}): void {
  const devices = options.devices ?? "/dev";
  let newest = new AbortController();
  let cards = new AbortController();
  const onChange = (): void => {
    newest.abort();
    newest = new AbortController();
    void callLater(listener, options.settleMs ?? settleMs, AbortSignal.any([signal, newest.signal]));
  };
  const watchCards = (): void => {
    cards.abort();
    cards = new AbortController();
    watchFolder(join(devices, folderName), onChange, AbortSignal.any([signal, cards.signal]));
  };
  watchCards();
  // The first card brings the folder, and the last one takes it away.
  watchFolder(
    devices,
    (name) => {
      if (name !== folderName) return;
      watchCards();
      onChange();
    },
    signal,
  );
}

function watchFolder(folder: string, onChange: (name: string | null) => void, signal: AbortSignal): void {
  try {
    const watcher = watch(folder, { signal }, (_, name) => onChange(name));
    watcher.on("error", () => watcher.close());
  } catch (error) {
    // The machine has no sound card yet, or no file may be watched any more: probes after a start still find the outputs.
    if (!isSystemError(error)) throw error;
  }
}

async function callLater(listener: () => void, delays: readonly number[], signal: AbortSignal): Promise<void> {
  try {
    for (const delay of delays) {
      await pause(delay, undefined, { signal });
      listener();
    }
  } catch (error) {
    if (!isAbort(error)) throw error;
  }
}

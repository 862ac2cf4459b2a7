// Keeps the settings that commands have requested, so that they can be applied after a restart or when a display is connected.
import { join } from "node:path";
import { z } from "zod";
import { isFault } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { MirroredFile } from "../../base/files/mirrored-file.ts";
import { DisplayMode, DisplayRotation, Power } from "../../protocol/device/display-commands.ts";
import type { DiskHealth } from "../storage/disk-health.ts";

/** A missing value was never asked for: the machine keeps its own. */
export const AskedSettings = z.object({
  /** By hand. `at` and `until`: corrected UTC ms; `until` null: until the opening hours begin or end next. */
  power: z.object({ value: Power, at: z.number(), until: z.number().nullable() }).optional(),
  brightness: z.number().optional(),
  rotation: DisplayRotation.optional(),
  mode: DisplayMode.optional(),
  volume: z.number().optional(),
  muted: z.boolean().optional(),
  audioOutput: z.string().optional(),
});
export type AskedSettings = z.infer<typeof AskedSettings>;
/** `null` forgets a value. */
export type AskedChange = { [K in keyof AskedSettings]?: AskedSettings[K] | null };

const name = "asked-settings.json";

export class AskedSettingsStore {
  readonly #file: MirroredFile<AskedSettings>;
  readonly #disk: DiskHealth;
  readonly #settings: Observable<AskedSettings>;
  #isStored = true;
  /** True if the disk fails to read the file. Settings that change meanwhile hold, and are merged into the stored ones later. */
  #isUnread = false;

  private constructor(file: MirroredFile<AskedSettings>, disk: DiskHealth, settings: AskedSettings) {
    this.#file = file;
    this.#disk = disk;
    this.#settings = new Observable(settings);
  }

  /** Reads the settings of the data folder. Damaged ones are reported, and the machine keeps its own values. */
  static async open(folder: string, disk: DiskHealth): Promise<AskedSettingsStore> {
    const file = new MirroredFile<AskedSettings>(join(folder, name), (json) => AskedSettings.parse(json));
    try {
      const read = await file.read();
      return new AskedSettingsStore(file, disk, read.is === "found" ? read.value : {});
    } catch (error) {
      if (isReadFailure(error)) {
        const store = new AskedSettingsStore(file, disk, {});
        store.#isUnread = true;
        disk.unreadable(name, error, () => store.#readLate());
        return store;
      }
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged(name, "the display and the sound keep their present settings", error);
      return new AskedSettingsStore(file, disk, {});
    }
  }

  get settings(): Watchable<AskedSettings> {
    return this.#settings;
  }

  /** Changes some values, and stores them. If the disk cannot be written, they hold until the player ends. */
  async change(change: AskedChange): Promise<void> {
    const merged = Object.fromEntries(Object.entries({ ...this.#settings.value, ...change }).filter(([, value]) => value != null));
    this.#settings.set(merged as AskedSettings);
    this.#isStored = false;
    await this.save();
  }

  /** Writes the settings if the last write failed. */
  async save(): Promise<void> {
    if (this.#isStored || this.#isUnread) return;
    this.#isStored = await this.#disk.attempt(name, () => this.#file.write(this.#settings.value));
  }

  async #readLate(): Promise<void> {
    const read = await this.#file.read();
    this.#isUnread = false;
    if (read.is === "found") this.#settings.set({ ...read.value, ...this.#settings.value });
    await this.save();
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    if (this.#isUnread) this.#disk.forgetUnread(name);
    this.#isUnread = false;
    await this.change({ power: null, brightness: null, rotation: null, mode: null, volume: null, muted: null, audioOutput: null });
  }
}

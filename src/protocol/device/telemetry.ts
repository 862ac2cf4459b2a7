// The measurements in heartbeats beyond the basic ones: frames, memory by process, network, display, sound, processor and storage.
import { z } from "zod";
import { Count, Timestamp } from "../common.ts";
import { deviceText } from "../text.ts";
import { DisplayMode, DisplayRotation, Power } from "./display-commands.ts";

/** Frames since the last heartbeat. */
export const FrameCounts = z
  .object({
    presented: Count.describe("Frames that the page drew, and frames of videos"),
    dropped: Count.describe("Video frames that were decoded too late to be shown"),
    late: Count.describe("Animation frames that took longer than two frame times"),
    interval_ms: Count.describe("The time in which they were counted"),
  })
  .meta({ id: "FrameCounts" });
export type FrameCounts = z.infer<typeof FrameCounts>;

/** Resident memory in bytes, by process. */
export const ProcessMemory = z
  .object({
    player: Count,
    browser: Count.describe("The browser's main process; under Electron the player runs in it, too"),
    page: Count.describe("The processes that draw the player's page and its items"),
    gpu: Count,
    other: Count,
  })
  .meta({ id: "ProcessMemory" });
export type ProcessMemory = z.infer<typeof ProcessMemory>;

export const NetworkState = z
  .object({
    interface: deviceText(64).describe("The one with the default route, such as eth0"),
    kind: z.enum(["ethernet", "wifi", "other"]),
    addresses: z.array(deviceText(64)).max(16),
    ssid: deviceText(64).nullable(),
    signal_dbm: z.number().min(-200).max(100).nullable().describe("Wi-Fi signal: above -67 is good, below -80 unreliable"),
  })
  .meta({ id: "NetworkState" });
export type NetworkState = z.infer<typeof NetworkState>;

/** The state of the display. The requested and the measured state are two facts. */
export const DisplayState = z
  .object({
    asked: Power.nullable().describe("What opening hours, a command or an override ask for; null: nothing does"),
    reason: z
      .enum(["hours", "command", "override", "emergency"])
      .nullable()
      .describe("Who asks: opening hours, a command by hand, or an override that wakes the display"),
    until: Timestamp.nullable().describe("When that may change; null: not foreseen"),
    power: Power.nullable().describe("What was read back; null: cannot tell"),
    by: deviceText(64).nullable().describe("The tool that switches it, such as wlopm or cec-ctl; null: none"),
    brightness_percent: z.number().min(0).max(100).nullable(),
    rotation: DisplayRotation.nullable(),
    mode: DisplayMode.nullable(),
    input: deviceText(32).nullable(),
  })
  .meta({ id: "DisplayState" });
export type DisplayState = z.infer<typeof DisplayState>;

export const AudioState = z
  .object({
    output: deviceText(200).nullable(),
    volume_percent: z.number().min(0).max(1_000).nullable(),
    muted: z.boolean().nullable(),
  })
  .meta({ id: "AudioState" });
export type AudioState = z.infer<typeof AudioState>;

/** Conditions that slow the processor down: now, and since the machine started. */
export const Throttling = z
  .object({
    now: z.array(z.enum(["under-voltage", "frequency-capped", "throttled", "soft-temperature-limit"])).max(4),
    since_start: z.array(z.enum(["under-voltage", "frequency-capped", "throttled", "soft-temperature-limit"])).max(4),
  })
  .meta({ id: "Throttling" });
export type Throttling = z.infer<typeof Throttling>;

export const StorageHealth = z
  .object({
    device: deviceText(64).describe("The disk that holds the player's data, such as mmcblk0"),
    total_bytes: Count.nullable(),
    file_system_errors: Count.nullable().describe("Errors that ext4 has counted"),
    wear_percent: z.number().min(0).max(1_000).nullable().describe("Used part of the lifetime that the maker promises"),
    smart: z.enum(["passed", "failed"]).nullable(),
    read_only: z.boolean().nullable(),
  })
  .meta({ id: "StorageHealth" });
export type StorageHealth = z.infer<typeof StorageHealth>;

/** Each part is null or missing if the machine does not tell. */
export const Telemetry = z
  .object({
    frames: FrameCounts.nullable().optional(),
    memory: ProcessMemory.nullable().optional(),
    network: NetworkState.nullable().optional(),
    display: DisplayState.nullable().optional(),
    audio: AudioState.nullable().optional(),
    throttling: Throttling.nullable().optional(),
    storage: StorageHealth.nullable().optional(),
    model: deviceText(200).nullable().optional(),
    serial: deviceText(200).nullable().optional(),
    last_faults: z
      .array(z.object({ at: Timestamp, code: deviceText(64), detail: deviceText(200) }))
      .max(5)
      .optional()
      .describe("The newest problems of this run, newest first"),
  })
  .meta({ id: "Telemetry" });
export type Telemetry = z.infer<typeof Telemetry>;

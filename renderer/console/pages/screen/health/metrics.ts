// The graphs of a screen's health.
import { formatBytes, formatNumber } from "../../../i18n/format.ts";
import type { Value } from "./history.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";

type Message = MessageKey<"screenHealth">;

export interface Metric {
  name: Message;
  series: readonly { name: Message; value: Value; colour: string }[];
  format: (value: number) => string;
  /** True if the sum tells more than the extremes: for counts. */
  isCount?: boolean;
}

export const metrics: readonly Metric[] = [
  {
    name: "temperature",
    series: [{ name: "temperature", value: (row) => row.temperature_c_max, colour: "--bad" }],
    format: (value) => formatNumber(value, { style: "unit", unit: "celsius" }),
  },
  {
    name: "memory",
    series: [
      { name: "memoryAll", value: (row) => row.memory_bytes_max, colour: "--accent" },
      { name: "memoryPage", value: (row) => row.page_memory_bytes_max, colour: "--good" },
    ],
    format: formatBytes,
  },
  {
    name: "load",
    series: [{ name: "load", value: (row) => row.cpu_load_max, colour: "--accent" }],
    format: (value) => formatNumber(value, { maximumFractionDigits: 2 }),
  },
  {
    name: "frames",
    series: [
      { name: "framesPresented", value: (row) => row.frames_presented, colour: "--good" },
      { name: "framesDropped", value: (row) => row.frames_dropped, colour: "--bad" },
      { name: "framesLate", value: (row) => row.frames_late, colour: "--warn" },
    ],
    format: (value) => formatNumber(value, { notation: "compact" }),
    isCount: true,
  },
  { name: "disk", series: [{ name: "disk", value: (row) => row.disk_free_bytes_min, colour: "--accent" }], format: formatBytes },
];

// Random heartbeats, each a small change of the one before it: fields come, go and change, also inside content and telemetry.
import { Heartbeat } from "../../src/protocol/device/heartbeat.ts";
import { heartbeat } from "../service/harness.ts";
import { newId } from "./states.ts";

const optional = ["drift_ms", "drift_mean_ms", "variables", "why", "update", "capabilities", "telemetry", "problems"] as const;
const parts = ["frames", "memory", "network", "display", "audio", "throttling", "storage", "model", "serial", "last_faults"] as const;

/** The heartbeat after `before`; null: the first one. Each is valid, and `sent_at_ms` rises. */
export function nextHeartbeat(random: () => number, before: Heartbeat | null): Heartbeat {
  const now = structuredClone(before ?? heartbeat({ sent_at_ms: 1_000 })) as Heartbeat;
  now.sent_at_ms += 1 + Math.floor(random() * 30_000);
  now.uptime_ms = now.sent_at_ms;
  now.memory_bytes = Math.floor(random() * 1e9);
  if (random() < 0.3) now.content = { ...now.content, revision: text(random), ready_bytes: Math.floor(random() * 1e6) };
  if (random() < 0.2) now.content = { ...now.content, files: [] };
  if (random() < 0.2) delete now.content.files;
  if (random() < 0.2) now.now_playing = random() < 0.2 ? [] : [...now.now_playing.slice(0, 3), playing()];
  if (random() < 0.2) now.now_playing = now.now_playing.slice(1);
  if (random() < 0.3) now.now_playing = now.now_playing.map((each) => (random() < 0.5 ? each : { ...each, item_id: newId("itm") }));
  if (random() < 0.2) now.resolution = random() < 0.5 ? null : { width: 1_920, height: 1_080 };
  for (const name of optional) {
    if (random() < 0.1) delete now[name];
    else if (random() < 0.2) Object.assign(now, { [name]: valueOf(name, random) });
  }
  for (const part of parts) {
    if (now.telemetry === undefined) break;
    if (random() < 0.1) delete now.telemetry[part];
    else if (random() < 0.2) Object.assign(now.telemetry, { [part]: partOf(part, random) });
  }
  return Heartbeat.parse(now);
}

function playing() {
  return { zone_id: newId("zon"), item_id: newId("itm"), asset_id: null, presented_at: "2026-11-21T12:00:00.000Z" };
}

function text(random: () => number): string {
  return `r${Math.floor(random() * 1e6)}`;
}

function valueOf(name: (typeof optional)[number], random: () => number): unknown {
  switch (name) {
    case "drift_ms":
    case "drift_mean_ms":
      return random() < 0.3 ? null : random() * 100;
    case "variables":
      return { door: text(random) };
    case "why":
      return Array.from({ length: Math.floor(random() * 4) }, () => ({
        layer: random() < 0.5 ? "item" : "schedule",
        id: null,
        name: random() < 0.5 ? null : text(random),
        layout_id: null,
        verdict: "shows",
        detail: "it plays",
      }));
    case "update":
      return undefined;
    case "capabilities":
      return { commands: ["reload"], unavailable: [], displays: [], inputs: [text(random)], audio_outputs: [], ...noHosts };
    case "telemetry":
      return {};
    case "problems":
      return [];
  }
}

const noHosts = { scripts: [], serial_ports: [], network_hosts: [] };

function partOf(part: (typeof parts)[number], random: () => number): unknown {
  const count = (): number => Math.floor(random() * 1_000);
  if (random() < 0.2 && part !== "last_faults") return null;
  switch (part) {
    case "frames":
      return { presented: count(), dropped: count(), late: count(), interval_ms: 30_000 };
    case "memory":
      return { player: count(), browser: count(), page: count(), gpu: count(), other: count() };
    case "network":
      return { interface: "wlan0", kind: "wifi", addresses: ["192.0.2.7"], ssid: text(random), signal_dbm: -40 - (count() % 50) };
    case "display":
      return { ...noDisplay, power: random() < 0.5 ? "on" : "off", brightness_percent: count() % 100 };
    case "audio":
      return { output: text(random), volume_percent: count() % 100, muted: random() < 0.5 };
    case "throttling":
      return { now: random() < 0.5 ? [] : ["throttled"], since_start: ["throttled"] };
    case "storage":
      return { device: "mmcblk0", total_bytes: count(), file_system_errors: 0, wear_percent: 3, smart: null, read_only: false };
    case "model":
    case "serial":
      return text(random);
    case "last_faults":
      return [{ at: "2026-11-21T12:00:00.000Z", code: "disk-full", detail: text(random) }];
  }
}

const noDisplay = { asked: null, reason: null, until: null, by: null, rotation: null, mode: null, input: null };

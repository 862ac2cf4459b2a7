// The kinds of alerts, most severe first.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";

export type Settings = Schemas["AlertSettings"];
/** The settings that a person can change. */
export type Rules = Omit<Settings, "mail">;
export type AlertKind = keyof Settings["kinds"];

export const kinds: readonly AlertKind[] = ["dark", "wrong", "late", "full", "hot", "throttled"];

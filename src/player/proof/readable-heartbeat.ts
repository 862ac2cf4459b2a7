// Proves a heartbeat by its own schema before it is sent: one wrong figure must not make a screen look offline.
import { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { describeRefusal } from "../../protocol/refusal.ts";
import type { DiskHealth } from "../storage/disk-health.ts";

/**
 * The heartbeat as the service can read it: without the optional parts that its schema refuses, each of which is reported as a fault of
 * the program. If a part is refused that must be there, the service refuses the whole.
 */
export function readableHeartbeat(heartbeat: Heartbeat, disk: Pick<DiskHealth, "recordRefused">): Heartbeat {
  const parsed = Heartbeat.safeParse(heartbeat);
  if (parsed.success) return heartbeat;
  disk.recordRefused("heartbeat", describeRefusal(parsed.error));
  const refused = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.fromEntries(Object.entries(heartbeat).filter(([name]) => !refused.has(name))) as Heartbeat;
  return Heartbeat.safeParse(rest).success ? rest : heartbeat;
}

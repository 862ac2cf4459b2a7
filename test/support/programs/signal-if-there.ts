// Sends signals to processes that may have ended.
import { hasErrorCode } from "../../../src/base/fault.ts";

/** Does nothing if there is no such process. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

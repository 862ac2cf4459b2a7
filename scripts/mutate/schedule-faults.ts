// Faults in src/schedule.
import { faultsIn, type Fault } from "./fault.ts";

export const scheduleFaults: readonly Fault[] = [...faultsIn("x", [])];

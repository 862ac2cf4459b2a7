// Faults in src/service.
import { faultsIn, type Fault } from "./fault.ts";

export const serviceFaults: readonly Fault[] = [...faultsIn("x", [])];

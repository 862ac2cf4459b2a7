// Faults in src/player.
import { faultsIn, type Fault } from "./fault.ts";

export const playerFaults: readonly Fault[] = [...faultsIn("x", [])];

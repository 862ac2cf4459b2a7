// The faults that `npm run mutate` plants, by area.
import { playerFaults } from "./player-faults.ts";
import { scheduleFaults } from "./schedule-faults.ts";
import { serviceFaults } from "./service-faults.ts";

export const faults = [...scheduleFaults, ...playerFaults, ...serviceFaults];

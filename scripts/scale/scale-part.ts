// What a part of the scale tests gets: its run, its folder, and what it may use.
import type { SoakRun } from "../soak/soak-run.ts";

/** The engines besides the nodes. All of them: `postgres,nats,s3`. */
export interface Engines {
  postgres: boolean;
  nats: boolean;
  s3: boolean;
}

export interface ScaleTest {
  run: SoakRun;
  /** A folder of this run, kept after a violation. */
  work: string;
  engines: Engines;
  /** How many nodes run. */
  nodes: number;
  /** For CI: fewer and shorter faults, fewer players. */
  isShort: boolean;
  /** The faults or cases to try; null for all. */
  only: readonly string[] | null;
  /** How many players a part simulates; null for its usual number. */
  players: number | null;
}

export interface ScalePart {
  about: string;
  /** What the amount counts. */
  unit: string;
  usual: number;
  /** @returns why this machine cannot run the part; null after it ran. */
  run(test: ScaleTest): Promise<string | null>;
}

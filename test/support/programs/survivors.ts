// Kills a program and waits until nothing that it had started is left.
import { descendantsOf, isAlive } from "../../host/processes.ts";
import { eventually } from "../polling.ts";
import type { Program } from "./programs.ts";

type Started = Awaited<ReturnType<typeof descendantsOf>>;

/** Kills a program once it has started programs whose command names begin so, and waits until nothing of it is left. */
export async function expectNoSurvivors(program: Pick<Program, "pid" | "kill">, names: readonly string[]): Promise<void> {
  let started: Started = [];
  await eventually(async () => {
    started = await descendantsOf(program.pid);
    return names.every((name) => started.some((one) => one.name.startsWith(name)));
  });
  await program.kill();
  await eventually(async () => (await survivorsOf(started)).length === 0);
}

/** Those that are still running. */
export async function survivorsOf(started: Started): Promise<Started> {
  const alive = await Promise.all(started.map(isAlive));
  return started.filter((_, index) => alive[index]);
}

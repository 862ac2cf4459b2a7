// Loaded before a program of ours: once told by SIGUSR2, it ends the process as a power cut would, right after the SQL statement
// whose number KILL_AFTER says. So a test reaches every gap between two steps of a write, in the real program.
import { writeSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";

let left = Number.POSITIVE_INFINITY;
process.on("SIGUSR2", () => {
  left = Number(process.env["KILL_AFTER"]);
  writeSync(1, '{"msg":"armed"}\n');
});

type Method = (this: unknown, ...values: unknown[]) => unknown;

function count(owner: object, name: string): void {
  const methods = owner as Record<string, Method>;
  const original = methods[name]!;
  methods[name] = function counted(...values) {
    const result = original.apply(this, values);
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return result;
  };
}

for (const name of ["all", "get", "iterate", "run"]) count(StatementSync.prototype, name);
count(DatabaseSync.prototype, "exec");

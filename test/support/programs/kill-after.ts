// Preloaded into a program: after SIGUSR2 it kills the process after as many SQL statements as KILL_AFTER says. So tests can
// interrupt the real program between any two steps of a write.
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

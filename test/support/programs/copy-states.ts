// Preloaded into a program: after SIGUSR2 it copies its data folder after each SQL statement, to `COPIES/0`, `COPIES/1` and so on,
// until the next SIGUSR2, at which it makes the last copy.
// A copy is what kill -9 at that moment leaves: all that the process has given to the kernel, and nothing else. So one run of the
// real program yields the state between any two steps of a write.
import { cpSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";

const { DATA = "", COPIES = "" } = process.env;
let isArmed = false;
let copies = 0;
process.on("SIGUSR2", () => {
  if (isArmed) copy();
  isArmed = !isArmed;
  writeSync(1, `{"msg":"${isArmed ? "armed" : "disarmed"}","copies":${copies}}\n`);
});

function copy(): void {
  cpSync(DATA, join(COPIES, String(copies++)), { recursive: true });
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

function copyAfter(owner: object, name: string): void {
  const methods = owner as Record<string, Method>;
  const original = methods[name]!;
  methods[name] = function copied(...values) {
    const result = original.apply(this, values);
    if (isArmed) copy();
    return result;
  };
}

for (const name of ["all", "get", "iterate", "run"]) copyAfter(StatementSync.prototype, name);
copyAfter(DatabaseSync.prototype, "exec");

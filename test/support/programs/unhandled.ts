// A program that leaves a rejection with the Fault code of its argument unhandled, and then runs to its end.
import { setTimeout } from "node:timers/promises";
import { Fault, type FaultCode } from "../../../src/base/fault.ts";
import { runProgram } from "../../../src/main/program.ts";

const [code] = process.argv.slice(2);
await runProgram(
  "unhandled",
  () => null,
  async () => {
    void Promise.reject(new Fault(code as FaultCode, "nobody waits for this"));
    // Node reports it before the next timer.
    await setTimeout(1);
  },
);

// The cost of enrolling boxes by a key: time and CPU of the service for each, when they all come at once.
import { join } from "node:path";
import { enrol, machine } from "../test/support/enrolling-device.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { Device } from "../test/service/harness.ts";
import { percentiles, printFigure, usageOf, writtenBytes } from "./lib.ts";

const boxes = Number(process.argv[2] ?? 1_000);
// Boxes that are switched on together do not send all at the same moment.
const atOnce = 50;

await using folder = await temporaryFolder();
await using service = await startService(join(folder.path, "data"));
const key = await service.api.ok("POST", "enrolment-keys", {
  name: "Delivery",
  max_count: boxes,
  tags: ["shop"],
  name_pattern: "Shop {n:4}",
});
const times: number[] = [];
const bytesOf = () => [...writtenBytes(service.program.pid).values()].reduce((sum, { bytes }) => sum + bytes, 0);
const before = { cpuMs: usageOf(service.program.pid).cpuMs, bytes: bytesOf(), at: performance.now() };
let next = 0;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < boxes) {
      const n = (next += 1);
      const started = performance.now();
      const { status } = await enrol(new Device(service.api.url), String(key["secret"]), machine(n));
      if (status !== 200) throw new Error(`box ${n} was refused: ${status}`);
      times.push(performance.now() - started);
    }
  }),
);
const seconds = (performance.now() - before.at) / 1_000;
const round = (value: number) => Math.round(100 * value) / 100;
printFigure("enrolment of a box, ms", {
  ...percentiles(times),
  boxes,
  at_once: atOnce,
  per_second: round(boxes / seconds),
  service_cpu_ms_each: round((usageOf(service.program.pid).cpuMs - before.cpuMs) / boxes),
  written_kb_each: round((bytesOf() - before.bytes) / boxes / 1_000),
});

// Sends large inputs to the operations of a service, and looks at what refuses them.
import { expect } from "vitest";
import { mostErrors } from "../../../src/protocol/refusal.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { FuzzedService, targets, type Target } from "./fuzzed-service.ts";
import { largeBodies, largeQueries } from "./large.ts";

// A hundred errors, each with a pointer of at most 200 characters and a detail of at most 2,000.
const mostRefusalBytes = 250_000;
const asJson = { "content-type": "application/json" };

/**
 * Sends each kind of large input, such as a long text in a field of one name, to up to `mostOperations` operations: the same code
 * refuses it in all of them.
 */
export async function sendLargeInputs(mostOperations: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const fuzzed = await FuzzedService.start(api);
  const sent = new Map<string, number>();
  let largest = { bytes: 0, of: "" };
  for (const target of targets) {
    for (const { what, how } of inputsOf(target)) {
      const count = sent.get(what) ?? 0;
      if (count >= mostOperations) continue;
      sent.set(what, count + 1);
      const { status, body } = await fuzzed.ask(target, how());
      const of = `${target.name}: ${what}: ${status}`;
      expect(status, of).toBeLessThan(500);
      if (status < 400) continue;
      const bytes = Buffer.byteLength(JSON.stringify(body));
      if (bytes > largest.bytes) largest = { bytes, of };
      expect(bytes, of).toBeLessThan(mostRefusalBytes);
      expect(body.errors?.length ?? 0, of).toBeLessThanOrEqual(mostErrors);
    }
  }
  process.stdout.write(`fuzz: ${fuzzed.sent} requests; the largest refusal has ${largest.bytes} bytes (${largest.of})\n`);
}

function inputsOf(target: Target) {
  const queries = target.query.length === 0 ? [] : [...largeQueries(target)];
  const bodies = target.body === null ? [] : [...largeBodies(target)];
  return [
    ...queries.map(([what, query]) => ({ what, how: () => ({ query, body: target.example }) })),
    ...bodies.map(([what, make]) => ({ what, how: () => ({ body: make(), headers: asJson }) })),
  ];
}

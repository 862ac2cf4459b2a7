// What comparing a password costs, measured: it must not tell whether an email has one.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { goodPassword } from "../browser.ts";

test("[SGN6] comparing a wrong password takes the same CPU time for no, one and three people with an email", async () => {
  const work = Object.values(await verificationWork(goodPassword));
  expect(Math.max(...work) / Math.min(...work)).toBeLessThan(2);
});

/**
 * The CPU time of comparing a wrong password with no, one or three stored hashes: the least of several runs, in a process of their own,
 * since a process's CPU time includes all that its other threads do.
 */
async function verificationWork(password: string): Promise<Record<string, number>> {
  const hashingFile = new URL("../../../../src/service/people/passwords/hashing.ts", import.meta.url).href;
  const script = `
    import { PasswordHashing } from ${JSON.stringify(hashingFile)};
    const hashing = new PasswordHashing();
    const stored = await hashing.hash(${JSON.stringify(password)});
    const work = { none: [], one: [], three: [] };
    for (let run = 0; run < 8; run += 1) {
      for (const [kind, hashes] of [["none", []], ["one", [stored]], ["three", [stored, stored, stored]]]) {
        const before = process.cpuUsage();
        if ((await hashing.find(hashes, "not the password", "stranger", 4)) !== null) throw new Error("a wrong password was accepted");
        work[kind].push(process.cpuUsage(before).user);
      }
    }
    const least = Object.entries(work).map(([kind, times]) => [kind, Math.min(...times)]);
    process.stdout.write(JSON.stringify(Object.fromEntries(least)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  return JSON.parse(stdout) as Record<string, number>;
}

// Runs real programs of the system.
import { expect, test } from "vitest";
import { runOrFail, runTool } from "../../../src/base/processes/run-tool.ts";

const endless = new AbortController().signal;
const env = process.env;

test("[DSP1] a tool's output and exit code are read; a missing one is a result, not an error", async () => {
  const run = await runTool("sh", ["-c", "echo out; echo $LC_ALL >&2; exit 3"], { env: { ...env, LC_ALL: "de_DE" }, signal: endless });
  expect(run).toEqual({ is: "ended", code: 3, stdout: "out\n", stderr: "C\n" });
  expect(await runTool("no-such-tool", [], { env, signal: endless })).toEqual({ is: "missing" });
  expect(await runTool("cat", [], { env, signal: endless, input: "text" })).toMatchObject({ stdout: "text" });
  expect(await runTool("true", [], { env, signal: endless, input: "x".repeat(1_000_000) })).toMatchObject({ code: 0 });
});

test("[DSP1] a tool that hangs is killed with its children when its time is over or the signal aborts", async () => {
  // The child holds the tool's output open; a wait for the end of the output would never end.
  const hang = ["-c", "sleep 1000 & sleep 1000"] as const;
  expect(await runTool("sh", hang, { env, signal: endless, limitMs: 50 })).toEqual({ is: "timeout" });
  const stop = new AbortController();
  const run = runTool("sh", hang, { env, signal: stop.signal });
  stop.abort();
  await expect(run).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
});

test("[DSP1] endless output is cut", async () => {
  const run = await runTool("sh", ["-c", "head -c 3000000 /dev/zero | tr '\\0' x"], { env, signal: endless });
  expect(run).toMatchObject({ is: "ended", code: 0 });
  expect(run.is === "ended" && run.stdout.length).toBe(262_144);
});

test("[DSP2] a tool that fails is the fault not-applied with the tool's first line of error", async () => {
  const failing = runOrFail("sh", ["-c", "echo; echo 'no such output' >&2; echo more >&2; exit 1"], { env, signal: endless });
  await expect(failing).rejects.toMatchObject({ code: "not-applied", message: "sh: no such output" });
  await expect(runOrFail("false", [], { env, signal: endless })).rejects.toThrow("false ended with 1");
  await expect(runOrFail("no-such-tool", [], { env, signal: endless })).rejects.toThrow("no-such-tool is not installed");
  await expect(runOrFail("sleep", ["9"], { env, signal: endless, limitMs: 20 })).rejects.toThrow("sleep does not respond");
});

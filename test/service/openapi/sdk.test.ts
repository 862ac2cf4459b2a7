// Runs the examples in sdk/ against a real service.
import { spawn, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, picture } from "../harness.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";

/** A running example. */
class Example implements AsyncDisposable {
  readonly lines: string[] = [];
  errors = "";
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(path: string, argv: readonly string[], env: Record<string, string>) {
    const runner = path.endsWith(".py") ? "python3" : path.endsWith(".sh") ? "bash" : process.execPath;
    this.#process = spawn(runner, [join(rootFolder, "sdk", path), ...argv], { env: { ...process.env, ...env }, stdio: "pipe" });
    this.#ended = once(this.#process, "close");
    createInterface({ input: this.#process.stdout! }).on("line", (line) => this.lines.push(line));
    this.#process.stderr!.on("data", (text: Buffer) => (this.errors += text.toString()));
  }

  /** Sends `input` to it and returns its exit code. */
  async end(input?: Buffer | string): Promise<number | null> {
    this.#process.stdin!.on("error", () => undefined); // it may end without reading its input
    this.#process.stdin!.end(input);
    await this.#ended;
    return this.#process.exitCode;
  }

  /** The first line that matches. */
  async line(matches: RegExp): Promise<string> {
    const found = () => this.lines.find((line) => matches.test(line)) ?? null;
    await expect.poll(found, { message: `${String(matches)}; it said: ${this.errors}` }).not.toBeNull();
    return found()!;
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
  }
}

const example = (api: TestService, path: string, ...argv: string[]) =>
  new Example(path, argv, { SIGNAGE_URL: api.service.url, SIGNAGE_TOKEN: api.token });

test("[SDK1] the pairing example publishes a picture to a player, in curl, TypeScript and Python", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(join(folder.path, "data"));
  const file = join(folder.path, "menu.png");
  await writeFile(file, await picture());
  for (const path of ["curl/pair-and-publish.sh", "typescript/examples/pair-and-publish.ts", "python/pair_and_publish.py"]) {
    const device = await api.newDevice();
    await using run = example(api, path, device.grant.user_code, file);
    expect([path, await run.end(), run.errors]).toEqual([path, 0, ""]);
    await device.firstToken();
    expect(run.lines).toEqual([device.playerId]);
    const state = (await device.call("GET", "state")).body;
    expect(state.assets).toMatchObject([{ mime_type: "image/png" }]);
    expect(state.layout.zones).toHaveLength(1);
    await using again = example(api, path, "BBBB-BBBB", file);
    expect(await again.end()).not.toBe(0);
    expect(`${again.errors}${again.lines.join()}`).toMatch(/404/);
  }
});

test("[SDK2] the events example reports events that it missed while it was stopped, each once", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(join(folder.path, "data"));
  for (const path of ["typescript/examples/follow-events.ts", "python/follow_events.py"]) {
    const place = join(folder.path, `${path.split("/")[0]}.json`);
    const make = async (name: string) => (await api.call("POST", "playlists", { name })).body.id as string;
    {
      await using first = example(api, path, place);
      await first.line(/^subscribed/);
      await make("while it listens");
      await first.line(/^\d+ playlist.created/);
      // The example stores its position after it prints the line.
      await make("so that the place of the one before is kept");
      await expect.poll(() => first.lines.filter((line) => line.includes("playlist.created")).length).toBe(2);
      await first.kill();
    }
    await make("while it is dead");
    await using second = example(api, path, place);
    await second.line(/^subscribed/);
    await make("afterwards");
    const seqs = () => second.lines.filter((line) => line.includes("playlist.created")).map((line) => Number(line.split(" ")[0]));
    const seq = await lastSeq(api);
    await expect.poll(seqs).toContain(seq);
    // The newest two events; the previous one too if the kill came before its position was stored.
    expect(seqs().slice(-2)).toEqual([seq - 1, seq]);
    expect(seqs().length).toBeLessThanOrEqual(3);
  }
});

/** The end of the team's event journal. */
async function lastSeq(api: TestService): Promise<number> {
  using listener = new EventSubscriber(api.service.url, api.token);
  return (await listener.subscribe(["playlist_updates"])).seq;
}

test("[SDK4] the agent example finds the player with a dark screen over MCP, tries a change as a dry run and then makes it, in three languages", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(join(folder.path, "data"));
  const device = await api.pairDevice("Dark screen");
  for (const path of ["typescript/examples/agent.ts", "python/agent.py"]) {
    await using run = example(api, path);
    expect([path, await run.end(), run.errors]).toEqual([path, 0, ""]);
    expect(run.lines[0]).toMatch(/^\d+ tools$/);
    expect(run.lines[1]).toBe(`dark: Dark screen ${device.playerId}`);
    const created = /^made: (pls_\w{26})$/.exec(run.lines[2] ?? "")?.[1];
    expect((await api.call("GET", `playlists/${created}`)).body.name).toBe("From the agent");
  }
  // The dry run changed nothing.
  expect((await api.call("GET", "playlists")).body.data).toHaveLength(2);
  await using run = example(api, "curl/agent.sh");
  expect([await run.end(), run.errors]).toEqual([0, ""]);
  expect(run.lines.join("")).toContain(device.playerId);
});

test("[SDK3] the webhook example accepts genuine requests and rejects forged, changed and old ones", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { allowAddresses: ["127.0.0.1/32"] });
  const hook = (await api.call("POST", "webhooks", { name: "W", url: "http://127.0.0.1:9/", events: ["webhook.test"] })).body;
  const env = { SIGNAGE_WEBHOOK_SECRET: hook.secret as string };
  const sign = (id: string, timestamp: number, body: string) =>
    `v1,${createHmac("sha256", Buffer.from(env.SIGNAGE_WEBHOOK_SECRET.slice(6), "base64"))
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64")}`;
  const now = Math.trunc(Date.now() / 1_000);
  const body = '{"type":"webhook.test","note":"ü"}';
  // Id, timestamp, signature, body, and whether the request is genuine.
  const messages = [
    ["m1", now, sign("m1", now, body), body, true],
    ["m2", now, `v1,${"A".repeat(43)}= v2,x ${sign("m2", now, body)}`, body, true],
    ["m3", now, sign("m3", now, body), `${body} `, false],
    ["m4", now, sign("other", now, body), body, false],
    ["m5", now - 600, sign("m5", now - 600, body), body, false],
    ["m6", now + 600, sign("m6", now + 600, body), body, false],
    ["m7", now, "", body, false],
    ["m8", now, sign("m8", now, body).replace("v1,", "v2,"), body, false],
  ] as const;
  for (const path of ["typescript/examples/verify-webhook.ts", "python/verify_webhook.py"]) {
    await using receiver = new Example(path, ["0"], env);
    const url = (await receiver.line(/^listening on/)).replace("listening on ", "");
    await api.call("PATCH", `webhooks/${hook.id}`, { url });
    await api.call("POST", `webhooks/${hook.id}/test`);
    await receiver.line(/^webhook.test evt_/);
    for (const [id, timestamp, signature, text, isGenuine] of messages) {
      const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
      const { status } = await fetch(url, { method: "POST", headers, body: text });
      expect([path, id, status]).toEqual([path, id, isGenuine ? 204 : 401]);
    }
  }
  for (const [id, timestamp, signature, text, isGenuine] of messages) {
    await using run = new Example("curl/verify-webhook.sh", [id, String(timestamp), signature], env);
    expect([id, await run.end(text)]).toEqual([id, isGenuine ? 0 : 1]);
  }
});

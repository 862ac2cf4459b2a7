// The soak part `malformed`: damaged messages, states, responses, preload files and stored files against a real player. It must go on,
// show the right content and nothing else, log each message that it refuses, and keep its memory bounded.
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { WebSocket } from "ws";
import { longestMessageBytes, parseMessage, ServiceMessage } from "../../src/protocol/device/messages.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { Damage } from "../../test/support/malformed/damage.ts";
import { validMessages } from "../../test/support/malformed/hostile-service.ts";
import { isUsableState } from "../../test/support/malformed/stored-player.ts";
import { AttackedPlayer, type Picture } from "./attacked-player.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const messagesPerTry = 2_000;
const statesPerTry = 50;
const responsesPerTry = 5;
/** The share of each kind; the rest are messages. */
const shares = { states: 0.01, responses: 0.0005, preloads: 0.001, starts: 0.0003 };
// With unused memory that the heap has not returned yet. The heap itself has a limit of its own.
const memoryLimitBytes = 200_000_000;
const refusalLimitMs = 30_000;
const statuses = [200, 201, 204, 304, 400, 401, 403, 404, 409, 413, 429, 500, 503];

export const malformed: SoakPart = {
  about: "damaged messages, states, responses and files against a real player",
  unit: "inputs",
  usual: 100_000,
  async run(run) {
    await using folder = await temporaryFolder();
    await using attacked = await AttackedPlayer.start(folder.path, run);
    const damage = new Damage(run.random.seed);
    const countOf = (kind: keyof typeof shares): number => Math.ceil(run.amount * shares[kind]);
    const others = countOf("states") + countOf("responses") + countOf("preloads") + countOf("starts");
    const messages = run.amount - others;
    const send = (count: number): Promise<void> => sendMessages(attacked, run, damage, count);
    // Caches and compiled code grow at first.
    const warmUp = Math.min(messages, messagesPerTry);
    await inTries(run, "messages", warmUp, messagesPerTry, send);
    const before = await attacked.memoryBytes();
    await inTries(run, "messages", messages - warmUp, messagesPerTry, send);
    run.print({ memory_grown_by_messages: (await attacked.memoryBytes()) - before });
    await inTries(run, "states", countOf("states"), statesPerTry, (count) => publishStates(attacked, damage, count));
    await inTries(run, "responses", countOf("responses"), responsesPerTry, (count) => damageResponses(attacked, run, damage, count));
    await inTries(run, "preloads", countOf("preloads"), preloads.length, () => attacked.showNew((picture) => plant(attacked, picture)));
    const grownBy = (await attacked.memoryBytes()) - before;
    run.print({ memory_grown_by: grownBy, invalid_messages_of_the_player: attacked.service.invalidMessages });
    if (grownBy > memoryLimitBytes) run.violate(`the player's memory has grown by ${grownBy} bytes`);
    if (attacked.service.invalidMessages > 0) run.violate("the player sent messages that are not valid");
    await inTries(run, "starts", countOf("starts"), 1, () => attacked.startDamaged((data) => damageOneFile(data, run, damage)));
    return null;
  },
};

/** Makes tries of at most `perTry` inputs. */
async function inTries(
  run: SoakRun,
  kind: string,
  count: number,
  perTry: number,
  attempt: (count: number) => Promise<unknown>,
): Promise<void> {
  for (let left = count; left > 0; left -= perTry) {
    const inputs = Math.min(left, perTry);
    const tryOnce = async (): Promise<number> => {
      const from = performance.now();
      await attempt(inputs);
      return performance.now() - from;
    };
    await run.try({ kind, inputs }, tryOnce, inputs);
  }
}

/** The last of `count` messages ends the connection. */
async function sendMessages(attacked: AttackedPlayer, run: SoakRun, damage: Damage, count: number): Promise<void> {
  const { service } = attacked;
  const refusals = (): number => attacked.logged("ignored a message that this player does not know").length;
  const before = refusals();
  const messages = Array.from({ length: count - 1 }, (_, at) =>
    run.random.next() < 0.02 ? run.random.pick(oddMessages) : damage.text(validMessages[at % validMessages.length]),
  );
  await service.send(messages);
  const refused = messages.filter((message) => parseMessage(ServiceMessage, message.toString()).is === "unknown").length;
  await run.until(`${refused} refusals are logged`, () => refusals() - before === refused, refusalLimitMs);
  const unexplained = attacked
    .logged("ignored a message that this player does not know")
    .filter(({ reason }) => typeof reason !== "string");
  if (unexplained.length > 0) run.violate(`a refusal without a reason: ${JSON.stringify(unexplained[0])}`);
  await service.breakConnection(run.random.pick(breaks));
  await attacked.check();
}

const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const oddMessages: readonly (string | Buffer)[] = [
  "",
  "null",
  "[]",
  Buffer.from([0, 159, 146, 150]),
  Buffer.from(JSON.stringify(validMessages[0]).slice(0, 99)),
  `{"type":"welcome","id":"1","ts":0,"data":${deep(30_000)}}`,
  `{"type":"command","id":"1","ts":NaN,"data":{"command":"x"}}`,
  `{"type":"${"x".repeat(60_000)}"}`,
];

const breaks: readonly ((socket: WebSocket, tcp: { write(bytes: Buffer): void }) => void)[] = [
  (socket) => socket.send("x".repeat(longestMessageBytes + 1)),
  (socket) => socket.send(Buffer.alloc(longestMessageBytes + 1)),
  // Reserved bits, a masked frame of a server, an unknown operation, text that is not UTF-8, a length of 2^63 bytes.
  (_, tcp) => tcp.write(Buffer.from([0xf1, 0x01, 0x78])),
  (_, tcp) => tcp.write(Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])),
  (_, tcp) => tcp.write(Buffer.from([0x83, 0x00])),
  (_, tcp) => tcp.write(Buffer.from([0x81, 0x02, 0xc3, 0x28])),
  (_, tcp) => tcp.write(Buffer.from([0x81, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
  (socket) => socket.close(4_999, "x".repeat(100)),
  (socket) => socket.terminate(),
];

/** Publishes states that the player must refuse, and then a valid one. */
async function publishStates(attacked: AttackedPlayer, damage: Damage, count: number): Promise<void> {
  for (let published = 0; published < count;) {
    const text = damage.text(attacked.desired);
    if (isUsableState(text, attacked.desired.player.id)) continue;
    await attacked.service.offer(text);
    published += 1;
  }
  await attacked.check();
  await attacked.showNew();
}

/** Damages responses to whatever the player requests meanwhile: tokens, nonces, results of commands, screenshots, play events. */
async function damageResponses(attacked: AttackedPlayer, run: SoakRun, damage: Damage, count: number): Promise<void> {
  let damaged = 0;
  attacked.service.damage = ({ status, body }) => {
    if (run.random.next() < 0.5) return { status, body };
    damaged += 1;
    return { status: run.random.next() < 0.5 ? status : run.random.pick(statuses), body: damage.text(JSON.parse(body)) };
  };
  while (damaged < count) await attacked.service.send([]);
  attacked.service.damage = null;
  await attacked.check();
}

/** Files that are in the way of the right one, by name. */
const preloads: readonly ((path: string, picture: Picture, folder: string) => Promise<unknown>)[] = [
  (path, { bytes }) => writeFile(path, Buffer.from(bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)))),
  (path, { bytes }) => writeFile(path, Buffer.alloc(bytes.length)),
  (path, { bytes }) => writeFile(path, bytes.subarray(1)),
  (path, { bytes }) => writeFile(path, Buffer.concat([bytes, bytes])),
  (path) => writeFile(path, ""),
  (path) => mkdir(path),
  (path, _, folder) => symlink(folder, path),
  (path) => symlink(path, path),
  (path) => promisify(execFile)("mkfifo", [path]),
  async (path, { bytes }) => {
    await writeFile(path, bytes.toReversed());
    await chmod(path, 0);
  },
];

/** Fills the preload folder with damaged copies of a picture. */
async function plant({ preloadFolder }: AttackedPlayer, picture: Picture): Promise<void> {
  await rm(preloadFolder, { recursive: true, force: true });
  await mkdir(preloadFolder);
  for (const [at, put] of preloads.entries()) await put(join(preloadFolder, `${at}-${picture.asset.sha256}`), picture, preloadFolder);
}

/** Damages one random file of a data folder. */
async function damageOneFile(folder: string, { random }: SoakRun, damage: Damage): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const { parentPath, name } = random.pick(files);
  const path = join(parentPath, name);
  await writeFile(path, damage.characters(await readFile(path, "latin1")), "latin1");
}

// What several nodes allow together: guesses, requests, and sessions that one of them ends.
import { expect, test } from "vitest";
import { maxWrongGuessesPerMinute } from "../../../src/service/fleet/pairing/guess-limiter.ts";
import { limitsInDatabase } from "../../../src/service/http/limits/limits-in-database.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import { FakeClock } from "../../support/clock.ts";
import { waitUntil } from "../../support/polling.ts";
import type { ApiResponse } from "../harness.ts";
import { Browser, cheapPasswords, goodPassword } from "../people/browser.ts";
import { connect } from "./faulty-database.ts";
import { startTwoServices, useTwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

const two = useTwoServices(postgres, () => cheapPasswords);

test("[NDL5] two nodes together allow as many wrong pairing codes and passwords as one", async () => {
  const nodes = [two.a, two.b];
  const count = (answers: readonly ApiResponse[], status: number) => answers.filter((each) => each.status === status).length;
  const atBoth = (times: number, ask: (node: typeof two.a, place: number) => Promise<ApiResponse>) =>
    Promise.all(Array.from({ length: times }, (_each, place) => ask(nodes[place % 2]!, place)));
  // At once, so that none of them has seen another's end.
  const codes = await atBoth(16, (node) => node.call("POST", "players/pair", { code: "BBBB-BBBB", name: "x" }));
  expect([count(codes, 404), count(codes, 429)]).toEqual([maxWrongGuessesPerMinute, 16 - maxWrongGuessesPerMinute]);
  await Browser.ofOwnerWithPassword(two.a);
  const signIn = (node: typeof two.a, password: string) =>
    new Browser(node.service.url).call("POST", "session", { method: "password", email: "ada@example.com", password });
  // Right ones do not count.
  for (const node of [...nodes, ...nodes]) expect((await signIn(node, goodPassword)).status).toBe(201);
  const guesses = await atBoth(14, (node, place) => signIn(node, `guess ${place}`));
  expect([count(guesses, 401), count(guesses, 429)]).toEqual([10, 4]);
  for (const node of nodes) expect((await signIn(node, goodPassword)).status).toBe(429);
});

test("[NDL6] a limit in the database never allows more than its number, gives back what is taken back, and forgets what is over", async () => {
  const database = await postgres.createDatabase();
  await using first = await openPostgresStore(database);
  await using second = await openPostgresStore(database);
  const clock = new FakeClock();
  const limits = [first, second].map(({ db }) => limitsInDatabase(db, clock)("test", 5, 60_000));
  const takeAtBoth = () => Promise.all(Array.from({ length: 20 }, (_each, place) => limits[place % 2]!.take("key")));
  const taken = await takeAtBoth();
  const counted = taken.filter(({ waitMs }) => waitMs === 0);
  expect(counted).toHaveLength(5);
  for (const { waitMs } of taken) expect([0, 60_000]).toContain(waitMs);
  expect(await limits[0]!.waitMs("other")).toBe(0);
  await counted[0]!.takeBack();
  await counted[1]!.takeBack();
  expect(await limits[1]!.waitMs("key")).toBe(0);
  clock.advance(30_000);
  expect((await takeAtBoth()).filter(({ waitMs }) => waitMs === 0)).toHaveLength(2);
  clock.advance(30_010);
  // The first three are over, the two later ones are not.
  expect((await takeAtBoth()).filter(({ waitMs }) => waitMs === 0)).toHaveLength(3);
});

test("[NDL7] requests that one node has served count at the other within seconds: two nodes do not allow the quota twice", async () => {
  const quota = 400;
  const clock = new FakeClock();
  await using slow = await startTwoServices(postgres, { clock, limits: { token: quota, player: 1_000, address: 1_000 } });
  const { a, b } = slow;
  const readMe = async (node: typeof a) => (await node.call("GET", "me")).status;
  await waitUntil("A knows B", () => slow.lines.a.some(({ msg }) => msg === "a node has joined"));
  const atA = await Promise.all(Array.from({ length: quota + 10 }, () => readMe(a)));
  expect(atA.filter((status) => status === 200)).toHaveLength(quota);
  await using client = await connect(slow.database);
  // The nodes exchange what they have served each second. Little by little, because a loop that is busy now hears nothing of it.
  await waitUntil("A has written it", async () => {
    clock.advance(100);
    return (await client.query("SELECT 1 FROM state.quota_use")).rows.length > 0;
  });
  // What B serves until it has heard of them is what two nodes allow beyond the quota.
  let more = 0;
  await waitUntil("B counts them", async () => {
    clock.advance(100);
    const status = await readMe(b);
    more += Number(status === 200);
    return status === 429;
  });
  expect(more).toBeLessThan(quota / 2);
  expect((await b.call("GET", "me")).headers.get("ratelimit")).toMatch(/^"token";r=0;/);
});

test("[NDL8] whoever signs out at one node is signed out at the other at once", async () => {
  const atA = await Browser.ofOwnerWithPassword(two.a);
  const atB = new Browser(two.b.service.url);
  for (const [name, value] of atA.cookies) atB.cookies.set(name, value);
  expect((await atB.call("GET", "me")).status).toBe(200);
  expect((await atA.call("DELETE", "session")).status).toBe(204);
  expect((await atB.call("GET", "me")).status).toBe(401);
});

test("[NOD31] a second node without --blobs says that files stay in the node's own folder; the first one does not", () => {
  const warnings = [two.lines.a, two.lines.b].map((lines) => lines.filter(({ msg }) => msg.startsWith("each node keeps files")).length);
  expect(warnings).toEqual([0, 1]);
});

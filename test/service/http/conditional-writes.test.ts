// Conditional writes (If-Match) to one row run one after the other; writes to different rows do not wait for each other.
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Context, type ContextDependencies } from "../../../src/service/http/gateway/context.ts";
import { Gateway } from "../../../src/service/http/gateway/gateway.ts";
import { noBytes } from "../../../src/service/http/gateway/run.ts";
import type { Operation } from "../../../src/service/operations/operation.ts";
import type { OperationDependencies } from "../../../src/service/operations/operations.ts";
import { digestOf } from "../../../src/service/store/canonical-json.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { openTestStore } from "../test-database.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { picture, TestService } from "../harness.ts";

test("[ISO8] of concurrent changes with the same If-Match exactly one succeeds; the others get 412 with the current ETag", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { id } = (await api.call("POST", "playlists", { name: "P" })).body;
  const path = `playlists/${id}`;
  const pictures = await Promise.all([16, 24, 32, 40].map((size) => picture("png", size)));
  for (let round = 0; round < 3; round += 1) {
    const etag = (await api.call("GET", path)).headers.get("etag")!;
    const names = Array.from({ length: 12 }, (_, each) => `${round}-${each}`);
    // Uploads hold the database while their files are synced to disk, so the changes read the row at the same time.
    const uploads = Array.from({ length: 4 }, (_, each) => api.upload(pictures[each]!, "image/png", `u${each}`));
    const responses = await Promise.all(names.map((name) => api.call("PATCH", path, { name }, { "if-match": etag })));
    await Promise.all(uploads);
    const won = names.filter((_name, each) => responses[each]!.status === 200);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...names.slice(1).map(() => 412)]);
    const now = await api.call("GET", path);
    expect(won).toEqual([now.body.name]);
    const lost = responses.filter(({ status }) => status === 412);
    expect(new Set(lost.map(({ headers }) => headers.get("etag")))).toEqual(new Set([now.headers.get("etag")]));
  }
});

test("[ISO8] of a concurrent change and deletion with the same If-Match exactly one succeeds", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  for (let round = 0; round < 6; round += 1) {
    const created = await api.call("POST", "playlists", { name: "P" });
    const path = `playlists/${created.body.id}`;
    const match = { "if-match": created.headers.get("etag")! };
    const change = () => api.call("PATCH", path, { name: "Q" }, match);
    const remove = () => api.call("DELETE", path, undefined, match);
    const both = round % 2 === 0 ? [change(), remove()] : [remove(), change()];
    const succeeded = (await Promise.all(both)).filter(({ status }) => status < 300);
    expect(succeeded).toHaveLength(1);
  }
});

test("[ISO8] a conditional write compares the version only when earlier writes to the row have ended, whether they succeeded or failed", async () => {
  await using folder = await temporaryFolder();
  await using store = await openTestStore(folder.path);
  const versions = new Map([["a", 0]]);
  const change = conditionalWrite(store, versions, async () => setImmediate());
  const first = await Promise.allSettled([0, 0, 7, 0, 0].map((match) => change("a", match)));
  expect([first.map(({ status }) => status === "fulfilled"), versions.get("a")]).toEqual([[true, false, false, false, false], 1]);
  // Each write that names the version which the write before it made succeeds.
  const second = await Promise.allSettled([1, 2, 2, 3].map((match) => change("a", match)));
  expect([second.map(({ status }) => status === "fulfilled"), versions.get("a")]).toEqual([[true, true, false, true], 4]);
});

test("[ISO8] conditional writes to different rows do not wait for each other", async () => {
  await using folder = await temporaryFolder();
  await using store = await openTestStore(folder.path);
  const versions = new Map([
    ["a", 0],
    ["b", 0],
  ]);
  const blocked = Promise.withResolvers<void>();
  const change = conditionalWrite(store, versions, (row) => (row === "a" ? blocked.promise : Promise.resolve()));
  const firstOfA = change("a", 0);
  const secondOfA = change("a", 1);
  await change("b", 0);
  await change("b", 1);
  expect(Object.fromEntries(versions)).toEqual({ a: 0, b: 2 });
  blocked.resolve();
  await Promise.all([firstOfA, secondOfA]);
  expect(Object.fromEntries(versions)).toEqual({ a: 2, b: 2 });
});

/** Returns a function that writes a row if it has the given version. @param beforeWrite runs between the comparison and the write */
function conditionalWrite(store: Store, versions: Map<string, number>, beforeWrite: (row: string) => Promise<void>) {
  const gateway = new Gateway({ store, clock: new FakeClock() } as unknown as ConstructorParameters<typeof Gateway>[0]);
  const operation = {
    name: "change",
    method: "PATCH",
    path: "/rows/{id}",
    caller: "device",
    status: 200,
    async current(_dependencies: unknown, _context: unknown, { id }: { id: string }) {
      const version = versions.get(id)!;
      await setImmediate();
      return version;
    },
    async run(_dependencies: unknown, _context: unknown, { params: { id } }: { params: { id: string } }) {
      await beforeWrite(id);
      versions.set(id, versions.get(id)! + 1);
      return {};
    },
  } as unknown as Operation<OperationDependencies>;
  return (id: string, match: number) => {
    const header = (name: string) => (name === "if-match" ? `"${digestOf(match)}"` : undefined);
    const call = {
      id: "req",
      address: "",
      url: "/",
      origins: [],
      baseUrl: null,
      trust: () => undefined,
      header,
      setHeaders: () => undefined,
      closedSignal: () => AbortSignal.timeout(1_000),
    };
    const input = { params: { id }, query: {}, body: {}, bytes: noBytes, raw: {} as IncomingMessage };
    return gateway.run(operation, new Context({} as ContextDependencies, call, {}), input, call);
  };
}

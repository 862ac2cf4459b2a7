// Polling GET /events: the same events as on the socket.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { Agent } from "../mcp/agent.ts";
import { TestService, call, heartbeat, errorPointers } from "../harness.ts";
import { EventSubscriber } from "./event-subscriber.ts";
import { createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { useService } from "../shared-service.ts";
import { databaseFlags } from "../test-database.ts";

const shared = useService();

const pollOptions = { interval: 20 };

interface PolledEvent {
  seq: number;
  id: string;
  type: string;
  data: Record<string, unknown>;
}

test("[SUB13] polling returns the events of the socket: the same ids, order and positions, filtered by type and player", async () => {
  const api = await shared.newTeam();
  using listener = new EventSubscriber(api.service.url, api.token);
  const begin = await listener.subscribe(["player_updates", "presence", "commands", "playlist_updates", "layout_updates", "asset_updates"]);
  const [one, other] = [await api.pairDevice("One"), await api.pairDevice("Other")];
  const { asset } = await api.showPicture(one);
  for (const device of [one, other]) {
    await device.call("POST", "heartbeat", heartbeat());
    await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  }
  // Its thumbnail is made in the background, which is the last event.
  await expect.poll(async () => (await api.call("GET", `assets/${asset.id}`)).body.status, pollOptions).toBe("ready");
  const after = `${begin.epoch}:${begin.seq}`;
  const { body } = await api.call("GET", `events?after=${after}`);
  await expect.poll(() => listener.events.map(({ seq, data }) => ({ seq, ...data })), pollOptions).toEqual(body.data);
  expect(body.has_more).toBe(false);
  // A position of the socket is valid for polling and vice versa.
  expect(body.next).toBe(`${begin.epoch}:${listener.events.at(-1)!.seq}`);
  // From the first stored event, page by page.
  const paged: PolledEvent[] = [];
  for (let [next, more] = ["", true]; more;) {
    const page = (await api.call("GET", `events?limit=2${next === "" ? "" : `&after=${next}`}`)).body;
    expect(page.data.length).toBeLessThanOrEqual(2);
    paged.push(...page.data);
    [next, more] = [page.next, page.has_more];
  }
  expect(paged).toEqual((await api.call("GET", "events")).body.data);
  const types = (query: string) =>
    api.call("GET", `events?${query}`).then((answer) => answer.body.data.map(({ type }: PolledEvent) => type));
  expect(await types("types=player.online,command.queued")).toEqual(["player.online", "command.queued", "player.online", "command.queued"]);
  expect(await types(`types=player.online&player_id=${other.playerId}`)).toEqual(["player.online"]);
  // An agent uses the same operation.
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  expect(await agent.ok("list_events", { after })).toMatchObject({ next: body.next });
});

test("[SUB13] a position that is too old or of another journal is answered with 410 and the remedy; an invalid field is named", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  await api.call("POST", "playlists", { name: "One" });
  const { next } = (await api.call("GET", "events?after=now")).body;
  const [epoch, seq] = next.split(":");
  for (const after of [`evt_other:${seq}`, `${epoch}:${Number(seq) + 1}`]) {
    const answer = await api.call("GET", `events?after=${after}`);
    expect([answer.status, answer.body.type]).toEqual([410, "/problems/gone"]);
    expect(answer.body.detail).toContain("after=now");
  }
  for (const query of ["after=yesterday", "types=player.exploded", "limit=0", "wait_seconds=31", "player_id=Lobby"]) {
    const answer = await api.call("GET", `events?${query}`);
    expect([query, answer.status, errorPointers(answer)]).toEqual([query, 422, [`?${query.split("=")[0]}`]]);
  }
  expect((await api.call("GET", "events?types=player.exploded")).body.detail).toContain("player.online");
  await api.call("POST", "playlists", { name: "Two" });
  clock.advance(25 * 3_600_000);
  await expect
    .poll(async () => {
      clock.advance(600_000);
      return (await api.call("GET", `events?after=${next}`)).status;
    }, pollOptions)
    .toBe(410);
  // Without a position, polling starts at the first stored event.
  await api.call("POST", "playlists", { name: "Three" });
  expect((await api.call("GET", "events")).body.data.map(({ data }: PolledEvent) => data["name"])).toEqual(["Three"]);
});

test("[SUB14] a poll waits for the first event until its timeout, and ends when its token ends or the service stops", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const { next } = (await api.call("GET", "events?after=now")).body;
  const waiting = api.call("GET", `events?after=${next}&types=playlist.created&wait_seconds=30`);
  await api.call("POST", "calendars", { name: "Not asked for", dates: [] });
  await api.call("POST", "playlists", { name: "Asked for" });
  expect((await waiting).body.data.map(({ data }: PolledEvent) => data["name"])).toEqual(["Asked for"]);
  let isOver = false;
  const idle = api.call("GET", `events?after=now&wait_seconds=5`).then((answer) => {
    isOver = true;
    return answer;
  });
  await expect
    .poll(() => {
      clock.advance(1_000);
      return isOver;
    }, pollOptions)
    .toBe(true);
  expect((await idle).body.data).toEqual([]);
  const reader = await createTokenFor(api, await owner(api), ["events:read"]);
  const cut = call(api.service.url, "GET", "events?after=now&wait_seconds=30", undefined, { authorization: `Bearer ${reader.secret}` });
  await api.call("GET", "players");
  await api.call("DELETE", `tokens/${reader.tokenId}`);
  expect((await cut).status).toBe(401);
  const ending = api.call("GET", "events?after=now&wait_seconds=30");
  await api.call("GET", "players");
  await api[Symbol.asyncDispose]();
  expect([200, 503]).toContain((await ending).status);
});

test("[SUB14] polling with concurrent writers misses and repeats no event", async () => {
  const api = await shared.newTeam();
  const stranger = await createOtherTeam(api);
  let { next } = (await api.call("GET", "events?after=now")).body;
  const [epoch, begin] = next.split(":");
  const names: string[] = [];
  let isWriting = true;
  const writer = async (name: string): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      await api.call("POST", "playlists", { name: `${name} ${count}` });
      names.push(`${name} ${count}`);
      if (count % 5 === 0) await api.call("POST", "calendars", { name: "Noise", dates: [] });
      if (count % 10 === 0) await stranger.call("POST", "playlists", { name: "Theirs" });
    }
  };
  const writing = Promise.all(["a", "b", "c"].map(writer)).then(() => (isWriting = false));
  const polled: PolledEvent[] = [];
  for (let more = true; isWriting || more;) {
    const page = (await api.call("GET", `events?after=${next}&types=playlist.created&limit=7&wait_seconds=${isWriting ? 1 : 0}`)).body;
    polled.push(...page.data);
    more = page.has_more || page.data.length > 0;
    ({ next } = page);
  }
  await writing;
  expect(polled.map(({ data }) => String(data["name"])).toSorted()).toEqual(names.toSorted());
  const seqs = polled.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  // The socket sends the same events from the same position.
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["playlist_updates"], { after: { epoch, seq: Number(begin) } });
  await expect.poll(() => listener.events.length, pollOptions).toBe(polled.length);
  expect(listener.events.map(({ seq, data }) => ({ seq, ...data }))).toEqual(polled);
});

test("[SUB13] polling needs the same scope as the socket and returns only events of the caller's team", async () => {
  const api = await shared.newTeam();
  const stranger = await createOtherTeam(api);
  await api.call("POST", "playlists", { name: "Ours" });
  await stranger.call("POST", "playlists", { name: "Theirs" });
  const names = (answer: { body: { data: PolledEvent[] } }) => answer.body.data.map(({ data }) => data["name"]);
  expect(names(await stranger.call("GET", "events?types=playlist.created"))).toEqual(["Theirs"]);
  expect(names(await api.call("GET", "events?types=playlist.created"))).toEqual(["Ours"]);
  const other = await createTokenFor(api, await owner(api), ["players:read"]);
  expect((await call(api.service.url, "GET", "events", undefined, { authorization: `Bearer ${other.secret}` })).status).toBe(403);
});

test("[EVT4] if the service is killed with SIGKILL at any moment, every change has its event and every event its change", async () => {
  await using folder = await temporaryFolder();
  const flags = ["--port", "0", "--data", folder.path, ...(await databaseFlags(folder.path))];
  const start = () => new Program(["src/main/cli.ts", "serve", ...flags]);
  const created: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await using program = start();
    const url = String((await program.line("listening"))["url"]);
    const authorization = `Bearer ${(await readFile(join(folder.path, "admin-token"), "utf8")).trim()}`;
    const writer = async (): Promise<void> => {
      for (;;) {
        const answer = await call(url, "POST", "calendars", { name: "C", dates: [] }, { authorization }).catch(() => null);
        if (answer?.status !== 201) return;
        created.push(answer.body.id);
      }
    };
    const writing = Promise.all([writer(), writer(), writer()]);
    const target = created.length + 10 + round * 7;
    await expect.poll(() => created.length, { interval: 2 }).toBeGreaterThan(target);
    process.kill(program.pid, "SIGKILL");
    await writing;
  }
  // What a kill has left does not depend on the process that reads it: this one costs a tenth.
  await using last = await TestService.start(folder.path);
  const stored: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await last.call("GET", `calendars?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
    stored.push(...page.body.data.map(({ id }: { id: string }) => id));
    cursor = page.body.next_cursor;
  }
  const events = (await last.call("GET", "events?types=calendar.created&limit=500")).body.data as PolledEvent[];
  const polled = events.map(({ data }) => String(data["calendar_id"]));
  expect(polled.toSorted()).toEqual(stored.toSorted());
  expect(created.filter((id) => !polled.includes(id))).toEqual([]);
  expect(new Set(polled).size).toBe(polled.length);
});

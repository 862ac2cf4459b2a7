// Disconnects a subscriber again and again while events come, and compares what it has received with the journal.
import { expect } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { EventSubscriber } from "./event-subscriber.ts";

/** Disconnects a subscriber `drops` times, each after a random number of events, and expects each event once. */
export async function disconnectUnderLoad(drops: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const playlist = (await api.call("POST", "playlists", { name: "0" })).body;
  let isWriting = true;
  let written = 0;
  const writing = (async () => {
    for (; isWriting; written += 1) await api.call("PATCH", `playlists/${playlist.id}`, { name: `${written + 1}` });
  })();
  const seqs: number[] = [];
  const names: string[] = [];
  let after: { epoch: string; seq: number } | undefined;
  const take = (listener: EventSubscriber): void => {
    for (const message of listener.received) {
      if (message.type === "subscribed" && after === undefined) after = { epoch: message.data.epoch, seq: message.data.seq };
      if (message.type === "resync") throw new Error("no position is too old in this test");
      if (message.type === "place") after = message.data;
      if (message.type !== "event") continue;
      seqs.push(message.seq);
      names.push(String(message.data.data["name"]));
      after = { epoch: after!.epoch, seq: message.seq };
    }
  };
  for (let drop = 0; drop < drops; drop += 1) {
    using listener = new EventSubscriber(api.service.url, api.token);
    await listener.subscribe(["playlist_updates"], after === undefined ? {} : { after });
    const wanted = Math.floor(Math.random() * 4);
    while (listener.events.length < wanted) await new Promise((resolve) => listener.socket.once("message", resolve));
    listener.socket.terminate();
    // Count only messages that arrived before the disconnection.
    take(listener);
  }
  isWriting = false;
  await writing;
  using last = new EventSubscriber(api.service.url, api.token);
  await last.subscribe(["playlist_updates"], { after: after! });
  await expect.poll(() => last.events.at(-1)?.data.data["name"] ?? names.at(-1)).toBe(`${written}`);
  take(last);
  expect(names.at(-1)).toBe(`${written}`);
  expect(seqs.length).toBeGreaterThan(drops / 2);
  for (const [place, seq] of seqs.entries()) if (place > 0) expect(seq).toBe(seqs[place - 1]! + 1);
}

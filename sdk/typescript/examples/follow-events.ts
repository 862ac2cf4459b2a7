// Follows what happens and misses nothing: the place is kept in a file, from where the next start goes on. One line for each event.
// Usage: SIGNAGE_URL=… SIGNAGE_TOKEN=… node follow-events.ts PLACE_FILE
import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createClient } from "../client.ts";

/** The last event that was handled. Another `epoch` is another journal. */
interface Place {
  epoch: string;
  seq: number;
}
interface Message {
  type: "subscribed" | "event" | "place" | "resync" | "goaway" | "error" | "heartbeat";
  seq?: number;
  data: Partial<Place> & { type?: string; id?: string; resumed?: boolean; detail?: string };
}

const [placeFile = "place.json"] = process.argv.slice(2);
const baseUrl = process.env["SIGNAGE_URL"]!;
const client = createClient({ baseUrl, token: process.env["SIGNAGE_TOKEN"]!, retries: 10 });
let place: Place | null = await readFile(placeFile, "utf8").then(
  (text) => JSON.parse(text) as Place,
  () => null,
);

for (let failures = 0; ; failures += 1) {
  try {
    if (await follow()) failures = 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  // At random up to a bound that doubles, so that many clients do not come back at once.
  await setTimeout(Math.random() * Math.min(60_000, 1_000 * 2 ** failures));
}

/** One connection, to its end. @returns whether it got as far as being subscribed. */
async function follow(): Promise<boolean> {
  // A WebSocket of the web platform cannot send the token: a ticket stands for it, once.
  const { data } = await client.post("/api/v1/events/tickets");
  const socket = new WebSocket(`${baseUrl.replace("http", "ws")}/api/v1/events?ticket=${data.ticket}`, "signage.events.v1");
  const kinds = ["playlist_updates", "layout_updates", "commands", "screenshot_results"];
  socket.onopen = () =>
    socket.send(JSON.stringify({ type: "subscribe", id: "1", data: { kinds, ...(place === null ? {} : { after: place }) } }));
  let isSubscribed = false;
  // One after the other: the place is written down only once what came before it was handled.
  let handling = Promise.resolve();
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve();
  });
  socket.onmessage = ({ data: text }) => {
    handling = handling.then(async () => {
      const message = JSON.parse(String(text)) as Message;
      isSubscribed ||= message.type === "subscribed";
      await handle(message);
    });
  };
  await closed;
  await handling;
  return isSubscribed;
}

async function handle({ type, seq, data }: Message): Promise<void> {
  switch (type) {
    case "subscribed":
      process.stdout.write(`subscribed\n`);
      if (place === null) await keep({ epoch: data.epoch!, seq: data.seq! });
      return;
    case "event":
      // Here would stand what you do with it. It may come twice after a crash: data.id is the same then.
      process.stdout.write(`${seq} ${data.type} ${data.id}\n`);
      return keep({ epoch: place!.epoch, seq: seq! });
    case "resync":
      process.stdout.write("resync: too much was missed, read everything again\n");
      return keep({ epoch: data.epoch!, seq: data.seq! });
    case "place":
      return keep({ epoch: data.epoch!, seq: data.seq! });
    case "error":
      throw new Error(data.detail);
    case "goaway":
    case "heartbeat":
      return;
  }
}

/** Writes the place down, whole or not at all. */
async function keep(next: Place): Promise<void> {
  place = next;
  await writeFile(`${placeFile}.new`, JSON.stringify(next));
  await rename(`${placeFile}.new`, placeFile);
}

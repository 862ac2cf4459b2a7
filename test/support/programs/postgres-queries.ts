// A thread that runs queries for a caller who waits for each of them: see test/service/tables-of.ts.
import { workerData, type MessagePort } from "node:worker_threads";
import pg from "pg";
import { connectionTo } from "../../../src/service/store/postgres/pools.ts";

interface Job {
  text: string;
  values: unknown[];
}

const { url, prepare, answered, port } = workerData as { url: string; prepare: string; answered: Int32Array; port: MessagePort };
const client = new pg.Client(connectionTo(url));
const connected = client.connect().then(() => client.query(prepare));

port.on("message", async ({ text, values }: Job) => {
  const answer = await connected
    .then(() => client.query(text, values))
    .then(
      ({ rows, rowCount }) => ({ rows, rowCount }),
      (error: unknown) => ({ error: String(error) }),
    );
  port.postMessage(answer);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
});

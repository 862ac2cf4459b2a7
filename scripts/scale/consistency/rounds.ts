// The kinds of rounds of the consistency check: many clients do the same thing at once, on all nodes, and a judge looks at what came of it.
import { Device } from "../../../test/service/harness.ts";
import { newId } from "../../../test/support/states.ts";
import type { SoakRun } from "../../soak/soak-run.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Json, LoadClient } from "../load/client.ts";
import type { Outcome } from "../load/tally.ts";
import { fromElsewhere } from "../load/players.ts";
import { checkLinearizability } from "./linearizability.ts";
import { registerModel, type RegisterInput, type RegisterOperation } from "./register.ts";

export interface RoundPlace {
  run: SoakRun;
  cluster: Cluster;
  client: LoadClient;
  /** The proxy or a node, also one that is down. */
  chooseUrl: () => string;
}

/** Does one round. @returns how many operations it had. */
export type Round = (place: RoundPlace) => Promise<number>;

const clients = 6;
const operationsEach = 20;

/** Reads, writes and If-Match writes of one playlist: the history must be linearizable. */
export const registers: Round = async (place) => {
  const { run } = place;
  const initial = newId("reg");
  const { id } = await insist(place, "playlists", { name: initial });
  const history: RegisterOperation[] = [];
  const client = async (): Promise<void> => {
    let seen: { name: string; etag: string } | null = null;
    for (let count = 0; count < operationsEach; count += 1) {
      const input: RegisterInput =
        seen === null || run.random.next() < 0.3
          ? { is: "read" }
          : run.random.next() < 0.15
            ? { is: "write", name: newId("reg") }
            : { is: "compare-and-set", expected: seen.name, name: newId("reg") };
      const calledAt = performance.now();
      const outcome = await sendInput(place, id, input, seen?.etag);
      if (outcome.is === "refused") continue;
      const returnedAt = performance.now();
      const etag = outcome.is === "answered" ? outcome.headers["etag"] : undefined;
      const isDone = outcome.is === "answered" && outcome.status === 200;
      const isMismatched = outcome.is === "answered" && outcome.status === 412;
      if (isDone) {
        const { name } = outcome.body as { name: string };
        seen = { name, etag: String(etag) };
        history.push({ calledAt, returnedAt, input, output: { is: "done", name } });
      } else {
        history.push({ calledAt, returnedAt, input, output: isMismatched ? { is: "mismatched" } : null });
        seen = null;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const { isLinearizable, longest } = checkLinearizability(history, registerModel(initial));
  if (!isLinearizable) {
    run.violate(`playlist ${id}: no order of ${history.length} operations explains what clients saw; ${longest.length} can be placed`);
    run.print({ history: JSON.stringify(history.toSorted((a, b) => a.calledAt - b.calledAt)) });
  }
  return history.length;
};

function sendInput({ client, chooseUrl }: RoundPlace, id: string, input: RegisterInput, etag: string | undefined): Promise<Outcome> {
  const path = `playlists/${id}`;
  if (input.is === "read") return client.send(chooseUrl(), { method: "GET", path });
  const headers = input.is === "write" || etag === undefined ? {} : { "if-match": etag };
  return client.send(chooseUrl(), { method: "PATCH", path, body: { name: input.name }, headers });
}

/** Many operators claim one pairing code: one gets the player. */
export const pairings: Round = async (place) => {
  const { run, client, chooseUrl } = place;
  const device = new Device(place.cluster.proxy.url);
  const shown = await device.askForCode(fromElsewhere()).catch(() => null); // No node answers: another round follows.
  if (shown === null) return 0;
  const name = newId("plr");
  const claim = (): Promise<Outcome> =>
    client.send(chooseUrl(), { method: "POST", path: "players/pair", body: { code: shown.user_code, name } });
  const outcomes = await Promise.all(Array.from({ length: clients }, claim));
  const paired = outcomes.filter((each) => each.is === "answered" && each.status === 201);
  const ids = new Set(paired.map((each) => (each.is === "answered" ? (each.body as Json).id : "")));
  if (paired.length > 1) run.violate(`the code of ${name} was claimed ${paired.length} times: ${[...ids].join(", ")}`);
  const isOpen = outcomes.some((each) => each.is !== "answered" || each.status >= 500);
  if (paired.length === 0 && !isOpen) run.violate(`nobody could claim the code of ${name}: ${JSON.stringify(outcomes).slice(0, 500)}`);
  return outcomes.length;
};

/** Two nodes publish each draft at once: it becomes one version. The numbers are checked at the end. */
export const drafts: Round = async (place) => {
  const { run, client, chooseUrl } = place;
  const name = newId("drf");
  const draft = await insist(place, "drafts", { name });
  await insist(place, "playlists", { name }, { "signage-draft": draft.id });
  const publish = (): Promise<Outcome> => client.send(chooseUrl(), { method: "POST", path: `drafts/${draft.id}/publish`, body: {} });
  const outcomes = await Promise.all(Array.from({ length: clients }, publish));
  const published = outcomes.filter((each) => each.is === "answered" && each.status === 200);
  if (published.length > 1) run.violate(`draft ${draft.id} was published ${published.length} times`);
  return outcomes.length + 2;
};

/** One request with one Idempotency-Key on all nodes at once, and again: one effect, one answer. */
export const keys: Round = async (place) => {
  const { run } = place;
  const key = newId("key");
  const body = { name: newId("key") };
  const { client, chooseUrl } = place;
  const ask = () => client.insist(chooseUrl, { method: "POST", path: "playlists", body }, key, run.signal);
  const answers = await Promise.all(Array.from({ length: clients }, ask));
  const ids = new Set([...answers, await ask()].map((each) => each.body.id));
  if (ids.size !== 1) run.violate(`one Idempotency-Key made ${ids.size} playlists called ${body.name}`);
  return clients + 1;
};

async function insist(
  { client, chooseUrl, run }: RoundPlace,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Json> {
  return (await client.insist(chooseUrl, { method: "POST", path, body, headers }, newId("key"), run.signal)).body;
}

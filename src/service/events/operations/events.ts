// Events over REST: long polling for clients without a WebSocket, and tickets for WebSockets of browsers.
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort } from "../../../base/fault.ts";
import { EventPage, EventsQuery, eventsSubprotocol, EventType } from "../../../protocol/operator/events.ts";
import type { EventJournal, StoredEvent } from "../event-journal.ts";
import type { Subscribers } from "../subscribers.ts";
import { ProblemError } from "../../http/problem.ts";
import { Ticket } from "../../people/tickets.ts";
import type { Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface EventDependencies {
  clock: Clock;
  closing: AbortSignal;
  events: EventJournal;
  store: Store;
  subscribers: Subscribers;
}

// A search for rare events reads the journal in batches, so that other requests run in between, and stops at a maximum.
const batchSize = 2_000;
const maxExamined = 200_000;

type Query = z.infer<typeof EventsQuery>;

/** The part of a team's journal to read: after `from`, up to its last event at the time of the request. */
interface Span {
  from: number;
  last: number;
}

const operation = operationsWith<EventDependencies>();

export const eventOperations: readonly Operation<EventDependencies>[] = [
  operation({
    name: "listEvents",
    tag: "events",
    method: "GET",
    path: "/events",
    summary: "Read events, or wait for them",
    description: `The events of the last 24 hours, oldest first, with the same ids, order and positions as on the WebSocket. Pass \`next\` as \`after\` of the next request, and no event is missed or repeated; \`wait_seconds\` delays the response until something happens. A position that is no longer kept gives 410: read the resources you need again, then continue with \`after=now\`.

With \`Upgrade: websocket\` and the subprotocol \`${eventsSubprotocol}\` this path is the WebSocket that sends the same events in real time, described at \`/api/v1/asyncapi.json\`: send the token with the upgrade, or \`?ticket=\` from \`POST /api/v1/events/tickets\`. Close codes after the upgrade: 4401 invalid token, 4403 missing scope, 1012 service restarting.`,
    agent:
      "Use it to read recent events (`types=player.offline,problem.opened`), or to wait for the result of your own action: read `next` before you act, then call it with `after` and `wait_seconds`.",
    caller: "operator",
    scope: "events:read",
    query: EventsQuery,
    status: 200,
    output: EventPage,
    others: { 101: { description: "The connection has become a WebSocket" } },
    errors: ["invalid", "gone"],
    run: (dependencies, context, { query }) => poll(dependencies, context, query),
  }),
  operation({
    name: "createEventTicket",
    tag: "events",
    method: "POST",
    path: "/events/tickets",
    summary: "Create a ticket for a browser's WebSocket",
    description:
      "A browser's WebSocket cannot send the token. The ticket replaces it, once, within 30 s. Programs send `Authorization` with the upgrade instead.",
    caller: "operator",
    unaudited: true,
    scope: "events:read",
    agent: false,
    status: 201,
    output: Ticket,
    errors: ["too-many"],
    run: ({ subscribers }, context, _input, unitOfWork) =>
      unitOfWork.write(async (_db, current) => ({ result: subscribers.createTicket(current.operator) })),
  }),
];

/** Reads events; if there are none, waits and reads again after each new event until the time is over. */
async function poll(
  dependencies: EventDependencies,
  context: OperatorContext,
  { after, wait_seconds: waitSeconds, ...query }: Query,
): Promise<EventPage> {
  const { teamId, signal } = context;
  const { clock, closing, subscribers } = dependencies;
  const types = typesOf(query.types);
  const until = clock.monotonic() + waitSeconds * 1_000;
  const finished = new AbortController();
  const newEvents = new Signal();
  // Registered before the first read, so that no event in between is missed.
  subscribers.notifyOnEvents(teamId, newEvents, finished.signal);
  try {
    for (let place = after; ;) {
      const page = await read(dependencies, context, { ...query, types, after: place });
      const leftMs = until - clock.monotonic();
      if (page.data.length > 0 || page.has_more || leftMs <= 0) return page;
      place = page.next;
      try {
        await newEvents.wait(clock, leftMs, signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
        if (closing.aborted) return page;
        throw new ProblemError("unauthorized", "The token ended while the request was waiting");
      }
    }
  } finally {
    finished.abort();
  }
}

type Read = Omit<Query, "types" | "wait_seconds"> & { types: readonly EventType[] | null };

async function read(
  dependencies: EventDependencies,
  context: OperatorContext,
  { after, limit, types, player_id }: Read,
): Promise<EventPage> {
  const { teamId } = context;
  const { events, store } = dependencies;
  const span = await spanOf(dependencies, context, after);
  const found: StoredEvent[] = [];
  let { from } = span;
  for (let examined = 0; from < span.last && found.length < limit && examined < maxExamined; examined += batchSize) {
    if (examined > 0) await setImmediate();
    const upTo = Math.min(span.last, from + batchSize);
    const most = player_id === undefined ? limit - found.length : batchSize;
    for (const each of await events.readBetween(store.db, teamId, { after: from, upTo, types, limit: most })) {
      if (found.length === limit) break;
      from = each.seq;
      if (player_id === undefined || (await events.playersInAudience(store.db, each.audience)).has(player_id)) found.push(each);
    }
    if (found.length < limit) from = upTo;
  }
  // Check again: events that were trimmed during the read are missing in the result.
  if (span.from < (await events.positionOf(store.db, teamId)).trimmed && after !== undefined) throw tooOld();
  const next = `${events.epoch}:${from}`;
  return { data: found.map(({ seq, event }) => ({ seq, ...event })), next, has_more: from < span.last };
}

/** @throws ProblemError 410 for a position that is no longer kept. */
async function spanOf({ events, store }: EventDependencies, { teamId }: OperatorContext, after: string | undefined): Promise<Span> {
  const { last, trimmed } = await events.positionOf(store.db, teamId);
  if (after === undefined) return { from: trimmed, last };
  if (after === "now") return { from: last, last };
  const [epoch, text] = after.split(":");
  const from = Number(text);
  if (epoch !== events.epoch || from < trimmed || from > last) throw tooOld();
  return { from, last };
}

function tooOld(): ProblemError {
  return new ProblemError(
    "gone",
    "`after` is older than the 24 hours that are kept, or belongs to another journal: read the resources you need again, then continue with after=now",
  );
}

/** @throws ProblemError 422 for an unknown type. */
function typesOf(text: string | undefined): EventType[] | null {
  if (text === undefined) return null;
  return text.split(",").map((name) => {
    const type = EventType.safeParse(name);
    if (type.success) return type.data;
    const detail = `“${name}” is not an event type; the types are ${EventType.options.join(", ")}`;
    throw new ProblemError("invalid", `?types: ${detail}`, { errors: [{ pointer: "?types", detail }] });
  });
}

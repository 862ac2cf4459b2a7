// What happened, in REST: a ticket for browsers' sockets, and the same events for whoever cannot hold a socket.
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort } from "../../../base/fault.ts";
import { EventPage, EventsQuery, eventsSubprotocol, EventType } from "../../../protocol/operator/events.ts";
import type { EventJournal, StoredEvent } from "../../events/event-journal.ts";
import type { Subscribers } from "../../events/subscribers.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import type { OperatorContext } from "../context.ts";
import { operationsWith, type Operation } from "../operation.ts";

interface EventDependencies {
  clock: Clock;
  closing: AbortSignal;
  events: EventJournal;
  store: Store;
  subscribers: Subscribers;
}

const Ticket = z.object({
  ticket: z.string().describe("Good once, for `GET /api/v1/events?ticket=…`"),
  expires_in: z.int().describe("Seconds"),
});

// A rare type is looked for in parts, so that others have their turn in between, and in one answer not without end.
const lookedAtOnce = 2_000;
const maxLookedAt = 200_000;

type Query = z.infer<typeof EventsQuery>;

/** What of a team's journal is looked at: after `from`, up to where it ended when that was asked. */
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
    summary: "Read what happened, or wait for it",
    description: `The events of the last 24 hours, oldest first, with the ids, the order and the places of the socket. Give \`next\` as \`after\` the next time and nothing is missed or comes twice; \`wait_seconds\` holds the answer back until something happens. A place that is no longer known is 410: read again what you need, then go on with \`after=now\`.

With \`Upgrade: websocket\` and the subprotocol \`${eventsSubprotocol}\` this address is the socket that tells the same as it happens, described at \`/api/v1/asyncapi.json\`: send the token with the upgrade, or \`?ticket=\` from \`POST /api/v1/events/tickets\`. A token that is not good is told after the upgrade by close code 4401, one without the scope by 4403, a restart by 1012.`,
    agent:
      "Use it to learn what happened lately (`types=player.offline,problem.opened`), or to wait for something you began: take `next` before you begin, then ask with `after` and `wait_seconds`.",
    caller: "operator",
    scope: "events:read",
    query: EventsQuery,
    status: 200,
    output: EventPage,
    others: { 101: { description: "The connection is a WebSocket now" } },
    errors: ["invalid", "gone"],
    run: (dependencies, context, { query }) => poll(dependencies, context, query),
  }),
  operation({
    name: "createEventTicket",
    tag: "events",
    method: "POST",
    path: "/events/tickets",
    summary: "Get a ticket to subscribe from a browser",
    description:
      "A browser's WebSocket cannot send the token. The ticket stands for it, once, within half a minute. Programs send `Authorization` with the upgrade instead.",
    caller: "operator",
    scope: "events:read",
    agent: false,
    status: 201,
    output: Ticket,
    errors: ["too-many"],
    run: ({ subscribers }, context, _input, unitOfWork) =>
      unitOfWork.write(async () => ({ result: subscribers.createTicket(context.operator) })),
  }),
];

/** Reads once, and where nothing is there, again at each news until the time is over. */
async function poll(
  dependencies: EventDependencies,
  context: OperatorContext,
  { after, wait_seconds: waitSeconds, ...query }: Query,
): Promise<EventPage> {
  const { teamId, signal } = context;
  const { clock, closing, subscribers } = dependencies;
  const types = typesOf(query.types);
  const until = clock.monotonic() + waitSeconds * 1_000;
  const answered = new AbortController();
  const news = new Signal();
  // Before the first look: what happens after it rings.
  subscribers.notifyOnEvents(teamId, news, answered.signal);
  try {
    for (let place = after; ;) {
      const page = await read(dependencies, context, { ...query, types, after: place });
      const leftMs = until - clock.monotonic();
      if (page.data.length > 0 || page.has_more || leftMs <= 0) return page;
      place = page.next;
      try {
        await news.wait(clock, leftMs, signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
        if (closing.aborted) return page;
        throw new ProblemError("unauthorized", "The token ended while its request waited");
      }
    }
  } finally {
    answered.abort();
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
  for (let looked = 0; from < span.last && found.length < limit && looked < maxLookedAt; looked += lookedAtOnce) {
    if (looked > 0) await setImmediate();
    const upTo = Math.min(span.last, from + lookedAtOnce);
    const most = player_id === undefined ? limit - found.length : lookedAtOnce;
    for (const each of await events.readBetween(store.db, teamId, { after: from, upTo, types, limit: most })) {
      if (found.length === limit) break;
      from = each.seq;
      if (player_id === undefined || (await events.playersInAudience(store.db, each.audience)).has(player_id)) found.push(each);
    }
    if (found.length < limit) from = upTo;
  }
  // Looked at once more: what was trimmed while this was read is missing in it.
  if (span.from < (await events.positionOf(store.db, teamId)).trimmed && after !== undefined) throw tooOld();
  const next = `${events.epoch}:${from}`;
  return { data: found.map(({ seq, event }) => ({ seq, ...event })), next, has_more: from < span.last };
}

/** @throws Refusal 410 for a place that is not known any more; 422 for what is no place. */
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
    "`after` is older than the 24 hours that are kept, or of another journal: read again what you need, then go on with after=now",
  );
}

/** @throws Refusal 422 that names a type which there is not. */
function typesOf(text: string | undefined): EventType[] | null {
  if (text === undefined) return null;
  return text.split(",").map((name) => {
    const type = EventType.safeParse(name);
    if (type.success) return type.data;
    const detail = `“${name}” is no type of event; there are ${EventType.options.join(", ")}`;
    throw new ProblemError("invalid", `?types: ${detail}`, { errors: [{ pointer: "?types", detail }] });
  });
}

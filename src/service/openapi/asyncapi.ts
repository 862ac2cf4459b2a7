// Generates the description of the WebSockets (AsyncAPI 3.0) from the protocol's schemas.
import { eventsSubprotocol, SubscriberMessage, SubscriptionMessage } from "../../protocol/operator/events.ts";
import { deviceSubprotocol, DeviceMessage, ServiceMessage } from "../../protocol/device/messages.ts";
import { pathOfBase } from "../http/public-url.ts";
import type { Json } from "./json.ts";
import { Schemas } from "./schemas.ts";

type Messages = typeof SubscriberMessage | typeof SubscriptionMessage | typeof DeviceMessage | typeof ServiceMessage;

/**
 * The AsyncAPI document. Named schemas of the protocol are components, as in the description of REST.
 * @param baseUrl the service's address, such as `https://signage.example.com`; null if it is not known
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function describeSockets(version: string, baseUrl: string | null = null): Json {
  const doors = [
    {
      name: "events",
      address: "/api/v1/events",
      subprotocol: eventsSubprotocol,
      title: "Subscriptions",
      description:
        "A team's events in real time. Send the token (scope `events:read`) with the upgrade, or `?ticket=` from `POST /api/v1/events/tickets`. Then send `subscribe`; `unsubscribe` ends it. Every message gets a reply with its `id`. `seq` numbers events without gaps; after a disconnect, subscribe again with `after: {epoch, seq}` of the last `event` or `place`. Within 24 hours no event is lost or repeated; after that, `resync` tells you to read everything again. Close codes: 4401 invalid token, 4403 scope missing or token revoked, 1012 service restarting (see `goaway`), 1013 too slow: reconnect and resume.",
      up: SubscriberMessage,
      down: SubscriptionMessage,
    },
    {
      name: "device",
      address: "/api/v1/device/ws",
      subprotocol: deviceSubprotocol,
      title: "Players",
      description:
        "A player's connection. The player sends `hello`, the service responds with `welcome`. Messages with `seq` are kept in a journal until the player sends `ack`. Close codes: 4401 invalid token, 4403 player removed, 4409 replaced by a newer socket, 4410 another device with the same identity is connected (recognized by the parameter `instance`, the `instance_id` of the heartbeat): poll, 1012 service restarting, 1013 too slow.",
      up: DeviceMessage,
      down: ServiceMessage,
    },
  ];
  const schemas = new Schemas();
  const channels = Object.fromEntries(
    doors.map(({ name, address, title, description, subprotocol, up, down }) => [
      name,
      {
        address,
        title,
        description,
        bindings: { ws: { method: "GET", headers: subprotocolHeader(subprotocol), bindingVersion: "0.1.0" } },
        messages: { ...messagesOf(up, "input", `${name}-in`, schemas), ...messagesOf(down, "output", `${name}-out`, schemas) },
      },
    ]),
  );
  const settled = schemas.resolve({ channels });
  return {
    asyncapi: "3.0.0",
    info: { title: "signage-player sockets", version, license: { name: "Apache-2.0" } },
    ...(baseUrl === null ? {} : { servers: { service: serverAt(baseUrl) } }),
    defaultContentType: "application/json",
    channels: settled.part.channels,
    operations: Object.fromEntries(
      doors.flatMap(({ name, up, down }) => [
        [`${name}-receive`, operation("receive", name, up, `${name}-in`)],
        [`${name}-send`, operation("send", name, down, `${name}-out`)],
      ]),
    ),
    components: { schemas: settled.components },
  };
}

function serverAt(baseUrl: string): Json {
  const { host, protocol } = new URL(baseUrl);
  const pathname = pathOfBase(baseUrl);
  return { host, protocol: protocol === "https:" ? "wss" : "ws", ...(pathname === "" ? {} : { pathname }) };
}

function subprotocolHeader(subprotocol: string): Json {
  return { type: "object", properties: { "Sec-WebSocket-Protocol": { type: "string", const: subprotocol } } };
}

/** One message for each member of the union, named by its `type`. */
function messagesOf(union: Messages, direction: "input" | "output", prefix: string, schemas: Schemas): Json {
  return Object.fromEntries(
    union.options.map((option) => {
      const name = nameOf(option);
      return [`${prefix}-${name}`, { name, contentType: "application/json", payload: schemas.of(option, direction) }];
    }),
  );
}

function nameOf(option: Messages["options"][number]): string {
  return [...option.shape.type.values][0]!;
}

function operation(action: "send" | "receive", channel: string, union: Messages, prefix: string): Json {
  const messages = union.options.map((option) => ({ $ref: `#/channels/${channel}/messages/${prefix}-${nameOf(option)}` }));
  return { action, channel: { $ref: `#/channels/${channel}` }, messages };
}

// The messages between nodes as they cross the message server: JSON with the epoch of the service, so that services may share a server.
import { z } from "zod";

const common = { epoch: z.string(), node: z.string() };

/** A message of a node. What it carries is checked by its kind (messages.ts). */
export const WireMessage = z.discriminatedUnion("is", [
  z.object({
    ...common,
    is: z.literal("announced"),
    /** Of its transaction: what nodes of versions before 0074 order announcements by. */
    xid: z.string().regex(/^\d{1,20}$/),
    id: z.int().positive(),
    kind: z.string(),
    body: z.unknown(),
  }),
  z.object({ ...common, is: z.literal("broadcast"), kind: z.string(), body: z.unknown() }),
  /** A node has given its duties back. */
  z.object({ ...common, is: z.literal("duties-free") }),
]);
export type WireMessage = z.infer<typeof WireMessage>;

/** @returns null for what is no message of a node. */
export function parseWireMessage(text: string): WireMessage | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return WireMessage.safeParse(json).data ?? null;
}

// The bytes that are sent to a display over a wire, and its reply, as text and in hexadecimal.
import { Fault } from "../../base/fault.ts";

/** The payload of a command: exactly one of the two. */
export interface WiredPayload {
  text?: string | undefined;
  hex?: string | undefined;
}

/** A reply is cut at this length: the service keeps 4,000 characters of a text, and a byte has two hexadecimal digits. */
export const maxReplyBytes = 2_000;

/** The bytes of a payload, with nothing added. */
export function payloadBytes({ text, hex }: WiredPayload): Buffer {
  const bytes = text === undefined ? Buffer.from((hex ?? "").replaceAll(/[ :]/g, ""), "hex") : Buffer.from(text, "utf8");
  if (bytes.length === 0) throw new Fault("unsupported", "there is nothing to send");
  return bytes;
}

/** The result of a command. `is_cut`: the reply was longer. */
export function wiredResult(sent: Buffer, reply: Buffer): Record<string, unknown> {
  const kept = reply.subarray(0, maxReplyBytes);
  return {
    sent_bytes: sent.length,
    reply: { bytes: kept.length, text: kept.toString("utf8"), hex: kept.toString("hex"), is_cut: reply.length > maxReplyBytes },
  };
}

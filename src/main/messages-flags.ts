// The flags of the service for the message server between its nodes, and for stopping a node.
import { z } from "zod";
import type { ServiceConfig } from "../service/config.ts";
import { ExistingFile } from "./flags.ts";

export const messagesUsage = {
  messages: {
    value: "nats://…",
    help: "NATS server that hurries what nodes tell each other, as nats:// or tls:// with user and password (default: they poll the database every second)",
  },
  "messages-ca": { value: "FILE", help: "Certificate authority of the message server, in PEM (default: those that Node trusts)" },
  "messages-cert": { value: "FILE", help: "Certificate of this node for the message server, in PEM" },
  "messages-key": { value: "FILE", help: "Private key of that certificate, in PEM" },
  "messages-accept-old-server": { help: "Accept a message server with known security holes: for tests" },
  drain: { value: "SECONDS", help: "When it stops: over how long the players are asked to connect elsewhere (default 0: all at once)" },
} as const;

const longestDrainSeconds = 600;

export const messagesFlags = {
  messages: z
    .string()
    .regex(/^(nats|tls):\/\/.+/, "must be a nats:// or tls:// address")
    .refine((text) => URL.canParse(text), "must be an address")
    .optional(),
  "messages-ca": ExistingFile,
  "messages-cert": ExistingFile,
  "messages-key": ExistingFile,
  "messages-accept-old-server": z.boolean().default(false),
  drain: z
    .string()
    .regex(/^\d{1,3}$/, "must be a whole number of seconds")
    .transform(Number)
    .refine((seconds) => seconds <= longestDrainSeconds, `must be at most ${longestDrainSeconds}`)
    .default(0),
} as const;

type Flags = z.infer<z.ZodObject<typeof messagesFlags>>;

/** Reports flags that need others. */
export function checkMessagesFlags(flags: Flags & { database?: string | undefined }, wrong: (flag: string, message: string) => void): void {
  if (flags.messages !== undefined && flags.database === undefined) {
    wrong("messages", "goes with --database: a service on SQLite is one process");
  }
  const others = ["messages-ca", "messages-cert", "messages-key"] as const;
  for (const flag of others) if (flags[flag] !== undefined && flags.messages === undefined) wrong(flag, "goes with --messages");
  if ((flags["messages-cert"] === undefined) !== (flags["messages-key"] === undefined)) {
    wrong(flags["messages-cert"] === undefined ? "messages-key" : "messages-cert", "goes with its counterpart: certificate and key");
  }
}

export function readMessagesFlags(flags: Flags): Pick<ServiceConfig, "messages" | "drainMs"> {
  const tls = {
    ...(flags["messages-ca"] !== undefined && { ca: flags["messages-ca"] }),
    ...(flags["messages-cert"] !== undefined && { cert: flags["messages-cert"] }),
    ...(flags["messages-key"] !== undefined && { key: flags["messages-key"] }),
  };
  const messages =
    flags.messages === undefined ? null : { url: flags.messages, tls, acceptsOldServer: flags["messages-accept-old-server"] };
  return { messages, drainMs: flags.drain * 1_000 };
}

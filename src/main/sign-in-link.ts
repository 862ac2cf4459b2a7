// signage-service sign-in-link: prints a link that signs a person in to the console, for whoever administers the service's machine.
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, defineUsage, readFlags } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { readToken, WebAddress } from "./flags.ts";
import { commandName, dataFolder } from "./folders.ts";
import { ServiceClient } from "./service-client.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("node_modules/.bin/node src/main/cli.ts sign-in-link", "sign-in-link"),
  summary: "Prints a link that signs a person in to the console once, within an hour: the first time, or if their password is lost.",
  flags: {
    email: { value: "EMAIL", help: "The person, a member of the team (default: the first owner)" },
    server: { value: "URL", help: "The service, which must run (default http://127.0.0.1:8080)" },
    data: { value: "DIR", help: `The service's data folder, whose access token is used (default ${join(dataFolder(), "service")})` },
  },
  notes: [
    "Whoever opens the link is that person: give it to nobody else. The audit log has when it was created and used.",
    "Of several nodes on PostgreSQL, only the one that started first has the access token. To use this at another one, create an empty file admin-token in its data folder and restart it.",
  ],
});

const Flags = z.object({
  email: z.email("must be an email address").toLowerCase().optional(),
  server: WebAddress.default("http://127.0.0.1:8080"),
  data: z.string().min(1, "must name a folder").default(join(dataFolder(), "service")),
});

/** Whom to sign in, and the service. */
export interface SignInLinkConfig {
  email: string | null;
  server: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readSignInLinkConfig(argv: readonly string[]): SignInLinkConfig {
  const { email = null, server, data } = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  return { email, server, token: readToken(join(data, "admin-token"), usage, "data") };
}

/** Prints the link to standard output. The log, which may be kept, does not contain it. @throws Fault `refused` or `unreachable`. */
export async function runSignInLink({ email, server, token }: SignInLinkConfig, log: Log, signal: AbortSignal): Promise<void> {
  const client = new ServiceClient(server, token);
  const userId = email === null ? null : await findMember(client, email, signal);
  const { name, url, expires_at } = await client.createSignInLink(userId);
  log.info({ name, expires_at }, "sign-in link created");
  process.stdout.write(`${url}\n`);
}

async function findMember(client: ServiceClient, email: string, signal: AbortSignal): Promise<string> {
  const members = (await client.members(signal)).filter((member) => member.email === email);
  const [member, second] = members;
  if (member === undefined)
    throw new Fault("refused", `nobody in the team has the email ${email}: its owners see all members in the console`);
  if (second !== undefined)
    throw new Fault("refused", `several members have the email ${email}: an owner can create the link in the console`);
  return member.user_id;
}

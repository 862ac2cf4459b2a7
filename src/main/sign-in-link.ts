// signage-service sign-in-link: prints a link that signs a person in to the console, for whoever administers the service's machine.
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, defineUsage, readFlags } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { NewSignInLink } from "../protocol/operator/sessions.ts";
import { readToken, WebAddress } from "./flags.ts";
import { commandName, dataFolder } from "./folders.ts";
import { ServiceClient } from "./service-client.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("node_modules/.bin/node src/main/cli.ts sign-in-link", "sign-in-link"),
  summary: "Prints a link that signs a person in to the console once, within an hour: the first time, or if their password is lost.",
  flags: {
    email: { value: "EMAIL", help: "The person, of any team (default: the first owner)" },
    user: { value: "ID", help: "The person by their id, usr_…, if several have one email" },
    server: { value: "URL", help: "The service, which must run (default http://127.0.0.1:8080)" },
    data: {
      value: "SERVICE_DIR",
      help: `The service's data folder, whose access token is used (default ${join(dataFolder(), "service")})`,
    },
  },
  notes: [
    "Whoever opens the link is that person, in all their teams: give it to nobody else. The audit logs of all their teams have when it was used.",
    "Of several nodes on PostgreSQL, only the one that started first has the access token. To use this at another one, create an empty file admin-token in its data folder and restart it.",
  ],
});

const Flags = z.object({
  email: z.email("must be an email address").toLowerCase().optional(),
  user: z.string().regex(/^usr_/, "must be the id of a person, usr_…").optional(),
  server: WebAddress.default("http://127.0.0.1:8080"),
  data: z.string().min(1, "must name a folder").default(join(dataFolder(), "service")),
});

/** Whom to sign in, and the service. */
export interface SignInLinkConfig {
  /** By default the first owner. */
  person: NewSignInLink;
  server: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readSignInLinkConfig(argv: readonly string[]): SignInLinkConfig {
  const { email, user, server, data } = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const person = { ...(email === undefined ? {} : { email }), ...(user === undefined ? {} : { user_id: user }) };
  return { person, server, token: readToken(join(data, "admin-token"), usage, "data") };
}

/** Prints the link to standard output. The log, which may be kept, does not contain it. @throws Fault `refused` or `unreachable`. */
export async function runSignInLink({ person, server, token }: SignInLinkConfig, log: Log): Promise<void> {
  const { name, url, team_id, expires_at } = await new ServiceClient(server, token).createSignInLink(person);
  log.info({ name, expires_at, ...(team_id === null ? {} : { only_in: team_id }) }, "sign-in link created");
  process.stdout.write(`${url}\n`);
}

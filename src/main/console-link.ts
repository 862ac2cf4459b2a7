// Tells the person at a terminal where the console is, with a link that signs them in. Logs, which others may read, get no link.
import { existsSync } from "node:fs";
import { reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { commandName } from "./folders.ts";
import { ServiceClient } from "./service-client.ts";

/** The command that prints another link. */
const command = commandName("node_modules/.bin/node src/main/cli.ts sign-in-link", "sign-in-link");

/** Where a service runs, and the file with an owner's token. */
interface RunningService {
  url: string;
  /** The address for people, if it is another one. */
  publicUrl: string | null;
  tokenFile: string;
}

/** Prints the console's address: to a terminal with a link, to anything else as a line of the log without one. */
export async function showConsole(service: RunningService, log: Log): Promise<void> {
  const address = service.publicUrl ?? reachable(service.url);
  if (!process.stdout.isTTY) {
    // Of several nodes only the first has the token that the command needs.
    log.info({ url: address, ...(existsSync(service.tokenFile) && { sign_in: command }) }, "console");
    return;
  }
  const link = await createOwnerLink(service, log);
  const how = link === null ? `To sign in, run: ${command}` : `Sign in once, within an hour:\n  ${link}`;
  process.stdout.write(`\nThe console is at ${address}\n${how}\n\n`);
}

/** A link that signs the owner in once, within an hour; null, with a warning: it cannot be created. */
export async function createOwnerLink({ url, tokenFile }: RunningService, log: Log): Promise<string | null> {
  try {
    const client = await ServiceClient.open(reachable(url), tokenFile);
    return (await client.createSignInLink()).url;
  } catch (error) {
    // The service runs. Its certificate may be one that only its users trust.
    log.warn({ reason: reasonOf(error), instead: command }, "no sign-in link could be created");
    return null;
  }
}

/** The address at which this machine reaches a service that listens on all of its addresses. */
function reachable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, "//127.0.0.1");
}

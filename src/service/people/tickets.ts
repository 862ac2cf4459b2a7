// One-time tickets for browsers, whose WebSockets and images cannot send a token: `GET /events?ticket=…`.
import { z } from "zod";
import { ProblemError } from "../http/problem.ts";
import { OneTimeSecrets } from "./one-time/one-time-secrets.ts";
import type { SecretKeys } from "./one-time/secret-keys.ts";
import type { Operator } from "./operator.ts";

const lifetimeMs = 30_000;

/** A ticket in the API. */
export const Ticket = z.object({ ticket: z.string().describe("Valid once, for one request"), expires_in: z.int().describe("Seconds") });
export type Ticket = z.infer<typeof Ticket>;

const Content = z.tuple([z.string(), z.string()]);

/** Tickets that each replace the token in one request of the path that they are for. */
export class Tickets {
  readonly #secrets: OneTimeSecrets;

  constructor(keys: SecretKeys) {
    this.#secrets = new OneTimeSecrets(keys, "tickets", lifetimeMs);
  }

  create({ tokenId }: Operator, path: string): Ticket {
    const content: z.infer<typeof Content> = [tokenId, path];
    return { ticket: this.#secrets.create(JSON.stringify(content)), expires_in: lifetimeMs / 1_000 };
  }

  /** Uses a ticket up, even if it is for another path. @returns the token that it was created with @throws ProblemError 401. */
  async redeem(ticket: string, path: string): Promise<{ tokenId: string }> {
    const content = this.#secrets.read(ticket);
    if (content === null || !(await this.#secrets.use(ticket))) throw unusable();
    const [tokenId, itsPath] = Content.parse(JSON.parse(content));
    if (itsPath !== path) throw unusable();
    return { tokenId };
  }
}

function unusable(): ProblemError {
  return new ProblemError("unauthorized", "The ticket was used or has expired: create another");
}

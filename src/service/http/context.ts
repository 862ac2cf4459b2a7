// What an operation is told of who asks, whichever protocol they ask by.
import type { Contexts, Parts } from "../operations/operation.ts";

export type AnyContext = Contexts["operator"] & Contexts["device"];

/** A request as far as the door looks at it. */
export interface Call {
  id: string;
  /** Where it came from. */
  address: string;
  /** What is asked, with its query: another one under the same idempotency key is refused. */
  url: string;
  /** A header of the request, by its lower-case name. */
  header(name: string): string | undefined;
  /** Gives the answer headers. */
  setHeaders(headers: Readonly<Record<string, string>>): void;
  /** Aborts when the caller is gone or was answered. */
  closedSignal(): AbortSignal;
}

/** What an operation is told. Of its caller it has what its kind of operation reads; the table says which kind each is. */
export class Context implements AnyContext {
  readonly parts: Parts;
  operator: AnyContext["operator"];
  readonly player: AnyContext["player"];
  readonly header: AnyContext["header"];
  opening: AnyContext["opening"] = null;
  committing: AnyContext["committing"] = null;
  readonly #call: Call;

  constructor(parts: Parts, call: Call, { operator, player }: Partial<Pick<AnyContext, "operator" | "player">>) {
    this.parts = parts;
    this.operator = operator!;
    this.player = player!;
    this.header = (name) => call.header(name);
    this.#call = call;
  }

  get teamId(): string {
    return this.operator.teamId;
  }

  get tokenId(): string {
    return this.operator.tokenId;
  }

  get address(): string {
    return this.#call.address;
  }

  get requestId(): string {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    const { closing, tokens } = this.parts;
    const gone = this.#call.closedSignal();
    if (this.operator === undefined) return AbortSignal.any([gone, closing]);
    const ended = new AbortController();
    tokens.onEnd(this.operator, () => ended.abort(), gone);
    return AbortSignal.any([gone, closing, ended.signal]);
  }
}

// Creates the context that an operation gets.
import type { Contexts } from "../../operations/context.ts";
import type { TokenExpiry } from "../../people/token-expiry.ts";
import type { Call } from "./call.ts";

/** The context of any kind of caller. */
export type AnyContext = Contexts["operator"] & Contexts["device"];

export interface ContextDependencies {
  tokens: TokenExpiry;
  /** Aborts when the service stops. */
  closing: AbortSignal;
}

/** Holds `operator` or `player` as the operation's kind of caller requires; an operation can only read the one that its kind provides. */
export class Context implements AnyContext {
  readonly operator: AnyContext["operator"];
  readonly player: AnyContext["player"];
  readonly header: AnyContext["header"];
  readonly #dependencies: ContextDependencies;
  readonly #call: Call;

  constructor(dependencies: ContextDependencies, call: Call, { operator, player }: Partial<Pick<AnyContext, "operator" | "player">>) {
    this.operator = operator!;
    this.player = player!;
    this.header = (name) => call.header(name);
    this.#dependencies = dependencies;
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

  get origins(): readonly string[] {
    return this.#call.origins;
  }

  get baseUrl(): string | null {
    return this.#call.baseUrl;
  }

  get trust(): () => void {
    return () => this.#call.trust();
  }

  get requestId(): string {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    const { closing, tokens } = this.#dependencies;
    const closed = this.#call.closedSignal();
    if (this.operator === undefined) return AbortSignal.any([closed, closing]);
    const tokenEnded = new AbortController();
    tokens.onEnd(this.operator, () => tokenEnded.abort(), closed);
    return AbortSignal.any([closed, closing, tokenEnded.signal]);
  }

  /** The same context for the operator as they are now. */
  withOperator(operator: AnyContext["operator"]): Context {
    return new Context(this.#dependencies, this.#call, { operator });
  }
}

// The part of oidc-provider that tests use: the package has no types of its own.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  class Grant {
    constructor(of: { clientId: string; accountId: string });
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider };
  }

  interface Configuration {
    clients: readonly Record<string, unknown>[];
    jwks: { keys: readonly object[] };
    ttl: Record<string, number>;
    cookies: { keys: readonly string[] };
    claims: Record<string, readonly string[]>;
    features: Record<string, { enabled: boolean }>;
    interactions: { url: (context: Context, interaction: { uid: string }) => string };
    findAccount: (context: Context, id: string) => Promise<{ accountId: string; claims: () => Promise<object> } | undefined>;
    loadExistingGrant: (context: Context) => Promise<Grant>;
  }

  export default class Provider {
    readonly Grant: typeof Grant;
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}

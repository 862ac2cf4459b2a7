// Whether a version can be installed at all: asked before players are told to run it.
import { invalidField } from "../../http/problem.ts";

/** The versions that the service's mirror has. */
export interface ReleaseCatalog {
  /** `from`: where its releases come from; null: there is no mirror, and players get releases elsewhere. */
  state(): Promise<{ from: string | null }>;
  /** Whether the mirror has a verified release of this version. */
  hasRelease(version: string): Promise<boolean>;
}

/** @throws ProblemError 422 for a version that the mirror does not have. */
export async function checkRelease(catalog: ReleaseCatalog, version: string, pointer: string): Promise<void> {
  if ((await catalog.hasRelease(version)) || (await catalog.state()).from === null) return;
  throw invalidField(
    pointer,
    `the mirror of this service has no version ${version}: add it with \`signage-service mirror\`, or choose one of \`GET /releases\``,
  );
}

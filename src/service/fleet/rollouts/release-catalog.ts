// Whether a version can be installed at all: asked before players are told to run it.
import { invalidField } from "../../http/problem.ts";

/** The versions that the service's mirror has; null without a mirror: players then get releases elsewhere. */
export type ReleaseCatalog = {
  /** Whether the mirror has a verified release of this version. */
  hasRelease(version: string): Promise<boolean>;
} | null;

/** @throws ProblemError 422 for a version that the mirror does not have. */
export async function checkRelease(catalog: ReleaseCatalog, version: string, pointer: string): Promise<void> {
  if (catalog === null || (await catalog.hasRelease(version))) return;
  throw invalidField(
    pointer,
    `the mirror of this service has no version ${version}: add it with \`signage-service mirror\`, or choose one that it has`,
  );
}

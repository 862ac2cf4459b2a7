// Checks that a version can be installed at all, before players are told to run it.
import { invalidField } from "../../http/problem.ts";
import type { KnownReleases } from "../../releases/known-releases.ts";

/**
 * Without a mirror any version is accepted: the releases may be mirrored later.
 * @throws ProblemError 422 for a version that the mirror does not have.
 */
export async function checkRelease(catalog: KnownReleases, version: string, pointer: string): Promise<void> {
  if (!(await catalog.isInUse()) || (await catalog.hasRelease(version))) return;
  throw invalidField(
    pointer,
    `the mirror of this service has no version ${version}: add it with \`signage-service mirror\`, or choose one of \`GET /releases\``,
  );
}

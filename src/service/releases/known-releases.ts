// What the rest of the service may ask about releases: whether players can get a version from this service.
import type { Architecture } from "../../protocol/device/updates.ts";

export interface KnownReleases {
  /** Whether the mirror has a whole bundle of the version, for the architecture if one is given. */
  hasRelease(version: string, architecture?: Architecture): Promise<boolean>;
}

// The mirror for other parts of the service: tells if players can get a version from this service.
import type { Architecture } from "../../protocol/device/updates.ts";

export interface KnownReleases {
  /** True if the service mirrors releases at all: it has some, or a source of them. */
  isInUse(): Promise<boolean>;
  /** True if the mirror has a whole bundle of the version, for the architecture if one is given. */
  hasRelease(version: string, architecture?: Architecture): Promise<boolean>;
}

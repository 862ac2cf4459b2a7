// What the service has acknowledged, to be looked for afterwards.

/** A playlist that one writer renames, each time with If-Match. */
export interface Register {
  id: string;
  name: string;
  etag: string;
  /** Names that were sent since, without an answer: one of them may be the name now. */
  pending: string[];
}

export class Acknowledged {
  /** By id. */
  readonly registers: Register[] = [];
  /** The name of each playlist that nobody changes afterwards, by its id. */
  readonly playlists = new Map<string, string>();
  readonly layouts = new Map<string, string>();
  /** Each acknowledged change has one event: its type and the name that it has. */
  readonly changes: { type: string; id: string; name: string; at: number }[] = [];
  /** The version that each published draft became. */
  readonly versions = new Map<string, number>();
  readonly commands = new Set<string>();
  readonly players = new Map<string, string>();
  /** The digest of each uploaded file, by the asset's id. */
  readonly assets = new Map<string, string>();

  /** How much was acknowledged. */
  counts(): Record<string, number> {
    const { registers, playlists, layouts, changes, versions, commands, players, assets } = this;
    return {
      registers: registers.length,
      playlists: playlists.size,
      layouts: layouts.size,
      changes: changes.length,
      versions: versions.size,
      commands: commands.size,
      players: players.size,
      assets: assets.size,
    };
  }
}

// Settings that the player changes, kept in the program's own settings store.

export interface PlayerSettings {
  /** Stores the address of the service that paired this player. */
  rememberServer(server: string): Promise<void>;
}

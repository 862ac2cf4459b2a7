// What identifies a command: its id and when it was created.

export interface CommandMetadata {
  id: string;
  /** When the service created the command, UTC ms. Older services do not send it. */
  madeAt?: number | undefined;
}

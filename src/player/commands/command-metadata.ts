// The id and the creation time of a command.

export interface CommandMetadata {
  id: string;
  /** When the service created the command, UTC ms. Older services do not send it. */
  madeAt?: number | undefined;
}

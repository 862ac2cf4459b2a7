// Rows of the tables about live views across nodes. A service on SQLite does not have these tables.

/** What the viewers of a stream at one node ask for. */
interface LiveViewersRow {
  stream_id: string;
  /** Of the viewers. */
  node_id: string;
  player_id: string;
  /** The command that started the stream; empty: it is not stored yet. */
  command_id: string;
  fps: number;
  width: number;
  quality: number;
  /** By the database's clock. The node writes it again and again. */
  until: number;
}

/** The newest frame of a stream. */
interface LiveFrameRow {
  stream_id: string;
  /** The node that received it. */
  node_id: string;
  /** Counts the frames. */
  number: number;
  frame: Buffer;
}

export interface LiveTables {
  live_viewers: LiveViewersRow;
  live_frames: LiveFrameRow;
}

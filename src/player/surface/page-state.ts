// Whether the player's page is connected, and when it last presented a frame.

/** Times on the monotonic clock, ms. */
export type PageState =
  | { is: "away"; since: number }
  | {
      is: "here";
      since: number;
      viewport: { width: number; height: number };
      lastFrameAt: number | null;
      /** Consecutive reports of the page, newest last, that it presented no frame. */
      reportsWithoutFrame: number;
    };

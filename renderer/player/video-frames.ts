// Counts the frames of all videos: presented, and decoded too late to be shown.

type Counts = Record<"presented" | "dropped", number>;

/** The frames of all videos of the page, those that have left it included. */
export class VideoFrames {
  /** The counts of each video when it was last looked at. */
  readonly #countsByVideo = new Map<HTMLVideoElement, Counts>();
  #sum: Counts = { presented: 0, dropped: 0 };

  /** Counts the frames of a video until {@link forget}. */
  follow(element: HTMLVideoElement): void {
    this.#countsByVideo.set(element, { presented: 0, dropped: 0 });
  }

  /** Call before the video's source is removed, which also removes the browser's counts. */
  forget(element: HTMLVideoElement): void {
    this.#add(element);
    this.#countsByVideo.delete(element);
  }

  /** The frames since the last call. */
  take(): Counts {
    for (const element of this.#countsByVideo.keys()) this.#add(element);
    const sum = this.#sum;
    this.#sum = { presented: 0, dropped: 0 };
    return sum;
  }

  #add(element: HTMLVideoElement): void {
    const before = this.#countsByVideo.get(element);
    if (before === undefined) return;
    const { totalVideoFrames: total, droppedVideoFrames: dropped } = element.getVideoPlaybackQuality();
    const counts = { presented: Math.max(0, total - dropped), dropped };
    this.#countsByVideo.set(element, counts);
    this.#sum.presented += growth(before.presented, counts.presented);
    this.#sum.dropped += growth(before.dropped, counts.dropped);
  }
}

/** How much a count has grown. The browser counts from 0 again when it loads a source anew. */
function growth(before: number, now: number): number {
  return now >= before ? now - before : now;
}

// Changes of items of many kinds, in four zones at once, as fast as the page can: each turn changes all zones.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import type { SceneItem, SceneZone } from "../../../src/protocol/scene.ts";
import { image, item, slot, stage, text, video, zone } from "../../renderer/scenes.ts";
import { colors } from "../../renderer/screen.ts";
import type { PageServer } from "./page-server.ts";
import { pdfOf } from "../media/pdf.ts";

const long = 600_000;
const transitions = ["crossfade", "slide", "wipe", "push", "zoom", "cut"] as const;

/** Items of every kind that needs no web site. The worker scales the large picture down. */
const kinds: readonly SceneItem[] = [
  video("blue.mp4", 5_000),
  image("red.png"),
  image("large.jpg"),
  text("Welcome to the library", "#203040"),
  item({ type: "clock", timezone: "UTC" }),
  image("drawn.svg"),
  item({ type: "ticker", text: "Platform 4: the train to Ghent", speed_px_s: 200 }),
  item({ type: "qr", data: "https://example.com/menu" }),
  video("green.mp4", 2_000),
  item({ type: "pdf", src: "/media/pages.pdf" }),
  item({
    type: "feed",
    timezone: "UTC",
    title: "News",
    entries: [{ title: "The bridge is open again", summary: "Since Monday.", published_at: null }],
    trouble: null,
  }),
];
const missing = Array.from({ length: 7 }, (_, index) => image(`missing-${index}.png`));
const beside = image("green.png");

/** Writes the media for the changes. */
export async function makeChangesMedia(folder: string): Promise<void> {
  const [r, g, b] = colors.magenta;
  const large = sharp({ create: { width: 3_840, height: 2_160, channels: 3, background: { r, g, b } } }).jpeg();
  await writeFile(join(folder, "large.jpg"), await large.toBuffer());
  await writeFile(
    join(folder, "drawn.svg"),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="#1eb43c"/></svg>`,
  );
  await writeFile(join(folder, "pages.pdf"), pdfOf([colors.red, colors.green]));
}

/** Changes the zones of one page on demand. */
export class FastChanges {
  readonly #server: PageServer;
  readonly #zones: SceneZone[];
  #turn = 0;

  constructor(server: PageServer) {
    this.#server = server;
    this.#zones = [0, 240, 480, 720].map((left) => zone([], { left, width: 240 }));
  }

  /** The number of changed zones so far. */
  get changes(): number {
    return this.#turn * this.#zones.length;
  }

  /** After this many turns every kind was shown by every transition, twice, and the next turn is like the first. */
  static readonly turnsPerRound = (kinds.length * transitions.length) / 2;

  /** Changes every zone once. Resolves when each new item was presented. Rejects when one is not presented in time. */
  async changeAllZones(): Promise<void> {
    const server = this.#server;
    this.#turn += 1;
    const turn = this.#turn;
    const plays = this.#zones.map((drawn, index) => {
      // The number of kinds and that of transitions have no common factor: counting through both covers every pair.
      const pair = this.#zones.length * turn + index;
      const play = slot(kinds[pair % kinds.length]!, server.now() - 1, long);
      play.transition = { type: transitions[pair % transitions.length]!, duration_ms: 60, easing: "ease", direction: "left" };
      // The next item of each zone is prepared and then dropped, or fails.
      const next = turn % 3 === 0 ? missing[turn % missing.length]! : beside;
      drawn.slots = [play, slot(next, server.now() + 30_000, long)];
      return play;
    });
    server.messages.length = 0;
    server.draw(stage(this.#zones, { key: "stg_00000000000000000000000000" }));
    await Promise.all(plays.map(({ key }) => server.waitForMessage("presented", (message) => message.key === key)));
  }
}

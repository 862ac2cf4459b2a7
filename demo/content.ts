// The demo's content as data: the files to upload, and the bodies of POST /playlists and POST /layouts, with names and keys instead of ids.
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { NewLayout, NewPlaylist } from "../src/protocol/operator/resources.ts";

/** A file of demo/media. */
export interface DemoMedia {
  /** The asset's name, which the items refer to. */
  name: string;
  /** Absolute path. */
  path: string;
}

type PlaylistBody = z.input<typeof NewPlaylist>;
type ItemBody = NonNullable<PlaylistBody["items"]>[number];
type LayoutBody = z.input<typeof NewLayout>;
type ZoneBody = NonNullable<LayoutBody["zones"]>[number];

// Distributes over the kinds of items, so that each keeps its own fields.
type Symbolic<I> = I extends { asset_id: string } ? Omit<I, "asset_id"> & { asset: string } : I;

/** An item of POST /playlists with a media name in `asset` instead of an `asset_id`. */
export type DemoItem = Symbolic<ItemBody>;

export interface DemoPlaylist {
  key: string;
  name: string;
  items: DemoItem[];
}

/** A layout of POST /layouts with a playlist key in each zone's `playlist` instead of a `playlist_id`. */
export type DemoLayout = Omit<LayoutBody, "zones"> & {
  zones: (Omit<ZoneBody, "playlist_id"> & { playlist: string })[];
};

export interface DemoContent {
  media: DemoMedia[];
  playlists: DemoPlaylist[];
  layout: DemoLayout;
}

const colours = {
  night: "#1f1530",
  plum: "#341b3c",
  ember: "#b83a2a",
  apricot: "#f9b268",
  pine: "#12403f",
  cream: "#fff3e0",
} as const;

const fade = { type: "crossfade", duration_ms: 800 } as const;

/** The screen of Morgenrot, a fictional bakery with a bookshop: main loop, side column, text strip, clock. */
export function demoContent(): DemoContent {
  return {
    media: [
      ...["welcome.jpg", "loaf.jpg", "cup.jpg", "evening.jpg", "steam.mp4"].map(media),
      ...["buns.webp", "book.webp", "card.webp"].map(media),
    ],
    playlists: [
      {
        key: "main",
        name: "Morgenrot main",
        items: [
          image("welcome", 8_000),
          // Without a duration: the video's own length.
          { type: "video", asset: "steam", fit: "cover", muted: true },
          image("loaf", 8_000),
          image("cup", 8_000),
          image("evening", 8_000),
        ],
      },
      {
        key: "side",
        name: "Morgenrot side",
        items: [image("buns", 10_000), image("book", 12_000), image("card", 11_000)],
      },
      {
        key: "strip",
        name: "Morgenrot strip",
        items: [
          text("Guten Morgen · おはよう · صباح الخير · 👋", colours.plum, colours.cream),
          text("Today’s soup: pumpkin & ginger, € 6.50", colours.ember, colours.cream),
          text("Open daily 6 am – 7 pm, Sundays from 8", colours.plum, colours.cream),
          text("Wi-Fi: Morgenrot Guest · no password", colours.pine, colours.cream),
        ],
      },
      {
        key: "clock",
        name: "Morgenrot clock",
        items: [
          {
            type: "clock",
            seconds: false,
            date: true,
            locale: "en-GB",
            color: colours.night,
            background_color: colours.apricot,
          },
        ],
      },
    ],
    layout: {
      name: "Morgenrot",
      width: 1920,
      height: 1080,
      background_color: colours.night,
      zones: [
        { name: "main", left: 0, top: 0, width: 1440, height: 930, z_index: 0, playlist: "main", transition: fade },
        { name: "side", left: 1440, top: 0, width: 480, height: 930, z_index: 0, playlist: "side", transition: fade },
        {
          name: "strip",
          left: 0,
          top: 930,
          width: 1440,
          height: 150,
          z_index: 0,
          playlist: "strip",
          transition: { type: "push", duration_ms: 600, direction: "up" },
        },
        {
          name: "clock",
          left: 1440,
          top: 930,
          width: 480,
          height: 150,
          z_index: 0,
          playlist: "clock",
        },
      ],
    },
  };
}

function media(file: string): DemoMedia {
  return {
    name: file.slice(0, file.lastIndexOf(".")),
    path: fileURLToPath(new URL(`media/${file}`, import.meta.url)),
  };
}

function image(asset: string, durationMs: number): DemoItem {
  return { type: "image", asset, duration_ms: durationMs, fit: "cover" };
}

function text(line: string, ground: string, ink: string): DemoItem {
  // All lines have the same size, so that they do not jump. The longest one fits even in DejaVu Sans Bold, the widest likely font.
  return {
    type: "text",
    text: line,
    duration_ms: 9_000,
    color: ink,
    background_color: ground,
    align: "center",
    font_size: 52,
  };
}

// The layouts that a person can begin with: three for landscape and three for portrait, in Full HD.
import type { Box, Size } from "./edited-layout.ts";

/** The purpose of a zone; its first name. */
export type ZoneRole = "main" | "side" | "ticker" | "header" | "menu";

export interface Start extends Size {
  id: "whole" | "side" | "sideTicker" | "wholePortrait" | "pictureMenu" | "headerTicker";
  zones: readonly (Box & { role: ZoneRole })[];
}

export const starts: readonly Start[] = [
  { id: "whole", width: 1920, height: 1080, zones: [{ role: "main", left: 0, top: 0, width: 1920, height: 1080 }] },
  {
    id: "side",
    width: 1920,
    height: 1080,
    zones: [
      { role: "main", left: 0, top: 0, width: 1320, height: 1080 },
      { role: "side", left: 1320, top: 0, width: 600, height: 1080 },
    ],
  },
  {
    id: "sideTicker",
    width: 1920,
    height: 1080,
    zones: [
      { role: "main", left: 0, top: 0, width: 1440, height: 960 },
      { role: "side", left: 1440, top: 0, width: 480, height: 960 },
      { role: "ticker", left: 0, top: 960, width: 1920, height: 120 },
    ],
  },
  { id: "wholePortrait", width: 1080, height: 1920, zones: [{ role: "main", left: 0, top: 0, width: 1080, height: 1920 }] },
  {
    // The upper zone is 16:9, so that videos fill it.
    id: "pictureMenu",
    width: 1080,
    height: 1920,
    zones: [
      { role: "main", left: 0, top: 0, width: 1080, height: 608 },
      { role: "menu", left: 0, top: 608, width: 1080, height: 1312 },
    ],
  },
  {
    id: "headerTicker",
    width: 1080,
    height: 1920,
    zones: [
      { role: "header", left: 0, top: 0, width: 1080, height: 200 },
      { role: "main", left: 0, top: 200, width: 1080, height: 1600 },
      { role: "ticker", left: 0, top: 1800, width: 1080, height: 120 },
    ],
  },
];

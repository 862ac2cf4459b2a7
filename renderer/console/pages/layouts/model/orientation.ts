// Makes the portrait version of a landscape layout and the other way round.
import { withZones, type Box, type EditedLayout, type EditedZone } from "./edited-layout.ts";
import { fit } from "./geometry.ts";

/** A band such as a header or a ticker is at most this share of the shorter side high. A higher zone is a row. */
const mostOfBand = 0.2;

/**
 * The layout in the other orientation. Bands over the whole width, such as a header or a ticker, stay bands of the same
 * height, so that their letters keep their size. The zones between them are turned: columns become rows, rows become columns.
 */
export function otherOrientation(layout: EditedLayout): EditedLayout {
  const size = { width: layout.height, height: layout.width };
  const { top, bottom } = bandsOf(layout);
  const bands = new Set([...top, ...bottom]);
  const above = sum(top);
  const below = sum(bottom);
  // On a very flat layout the bands would leave nothing between them.
  const keeps = above + below <= size.height / 2;
  const inner = keeps ? { from: above, to: layout.height - below, newFrom: above, newTo: size.height - below } : whole(layout, size);
  const rotatedLayout = withZones({ ...layout, ...size }, (zone) => {
    if (keeps && bands.has(zone)) return band(zone, layout, size);
    // A zone that also lies over bands, such as a picture behind everything, is turned with the whole layout.
    const isBetween = zone.top >= inner.from && zone.top + zone.height <= inner.to;
    return swapAxes(zone, layout.width, isBetween ? inner : whole(layout, size), size);
  });
  return withZones(rotatedLayout, (zone) => fit(zone, size));
}

interface Rows {
  from: number;
  to: number;
  newFrom: number;
  newTo: number;
}

function whole(layout: EditedLayout, size: { height: number }): Rows {
  return { from: 0, to: layout.height, newFrom: 0, newTo: size.height };
}

/** The bands that follow each other from the upper and from the lower edge. */
function bandsOf(layout: EditedLayout): { top: readonly EditedZone[]; bottom: readonly EditedZone[] } {
  const most = Math.min(layout.width, layout.height) * mostOfBand;
  const candidates = layout.zones.filter(
    ({ left, width, height, rotation }) => left === 0 && width === layout.width && height <= most && rotation % 180 === 0,
  );
  const top: EditedZone[] = [];
  const bottom: EditedZone[] = [];
  const add = (bands: EditedZone[], isNext: (zone: EditedZone) => boolean): boolean => {
    const next = candidates.find((zone) => !top.includes(zone) && !bottom.includes(zone) && isNext(zone));
    if (next !== undefined) bands.push(next);
    return next !== undefined;
  };
  while (add(top, (zone) => zone.top === sum(top)));
  while (add(bottom, (zone) => zone.top + zone.height === layout.height - sum(bottom)));
  return { top, bottom };
}

function sum(bands: readonly EditedZone[]): number {
  return bands.reduce((height, band) => height + band.height, 0);
}

function band(zone: EditedZone, layout: EditedLayout, size: { width: number; height: number }): EditedZone {
  const isBelow = zone.top >= layout.height / 2;
  return { ...zone, width: size.width, top: isBelow ? size.height - (layout.height - zone.top) : zone.top };
}

/** Exchanges the axes. The edges are rounded rather than the sizes: zones that touch still do. */
function swapAxes(zone: EditedZone, width: number, rows: Rows, size: { width: number }): EditedZone {
  const down = (x: number): number => Math.round(rows.newFrom + (x / width) * (rows.newTo - rows.newFrom));
  const across = (y: number): number => Math.round(((y - rows.from) / (rows.to - rows.from)) * size.width);
  const box: Box = {
    left: across(zone.top),
    top: down(zone.left),
    width: across(zone.top + zone.height) - across(zone.top),
    height: down(zone.left + zone.width) - down(zone.left),
  };
  return { ...zone, ...box };
}

// The geometry of the test card as SVG: a grid of squares, circles, and markers that show how much a display cuts off at its edges.

const namespace = "http://www.w3.org/2000/svg";
// Parts of the shorter edge.
const cellsOnShorterEdge = 9;
// Displays that cut off their edges (overscan) take between two and five percent.
const overscanParts = [0.025, 0.05];

/** Draws the geometry for a picture of this size in CSS pixels. */
export function drawGeometry(width: number, height: number): SVGElement {
  const svg = create("svg", { class: "geometry", width, height, viewBox: `0 0 ${width} ${height}` });
  const shorter = Math.min(width, height);
  const cell = shorter / cellsOnShorterEdge;
  svg.append(
    create("path", { class: "grid", d: gridPath(width, height, cell) }),
    ...circles(width, height, cell).map(([cx, cy, r]) => create("circle", { class: "circle", cx, cy, r })),
    ...overscanParts.flatMap((part) => overscanFrame(width, height, part, cell)),
    // Half of a line at the very edge would be outside.
    create("rect", { class: "edge", x: 1, y: 1, width: width - 2, height: height - 2 }),
    ...edgeArrows(width, height, cell / 3),
  );
  return svg;
}

function gridPath(width: number, height: number, cell: number): string {
  const lines: string[] = [];
  // From the center, so that the cells at opposite edges are equal.
  for (let x = (width / 2) % cell; x < width; x += cell) lines.push(`M${x} 0V${height}`);
  for (let y = (height / 2) % cell; y < height; y += cell) lines.push(`M0 ${y}H${width}`);
  return lines.join("");
}

function circles(width: number, height: number, cell: number): [number, number, number][] {
  const radius = 0.9 * cell;
  const inset = 1.5 * cell;
  const corners = [inset, width - inset].flatMap((x) => [inset, height - inset].map((y): [number, number, number] => [x, y, radius]));
  return [[width / 2, height / 2, Math.min(width, height) / 2 - 2], ...corners];
}

function overscanFrame(width: number, height: number, part: number, cell: number): SVGElement[] {
  const [x, y] = [width * part, height * part];
  const label = create("text", { class: "overscan-label", x: width / 2 + 1.1 * cell, y: height - y - cell / 14, "font-size": cell / 6 });
  label.append(`${part * 100} %`);
  return [create("rect", { class: "overscan", x, y, width: width - 2 * x, height: height - 2 * y }), label];
}

/** Triangles in the middle of each edge whose points touch it. */
function edgeArrows(width: number, height: number, size: number): SVGElement[] {
  const [x, y] = [width / 2, height / 2];
  return [
    `M${x} 0l${size} ${size}h${-2 * size}z`,
    `M${x} ${height}l${size} ${-size}h${-2 * size}z`,
    `M0 ${y}l${size} ${size}v${-2 * size}z`,
    `M${width} ${y}l${-size} ${size}v${-2 * size}z`,
  ].map((d) => create("path", { class: "arrow", d }));
}

function create(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

// A QR code as vector squares on white, with the quiet zone scanners need.
import { encode } from "uqr";

const svgNamespace = "http://www.w3.org/2000/svg";
// The standard asks for four modules of white all around.
const quietModules = 4;

/** Draws `text` as a QR code. */
export function drawQr(text: string): SVGSVGElement {
  const { data, size } = encode(text, { ecc: "M", border: quietModules });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  const ground = document.createElementNS(svgNamespace, "rect");
  ground.setAttribute("width", String(size));
  ground.setAttribute("height", String(size));
  ground.setAttribute("fill", "#ffffff");
  const modules = document.createElementNS(svgNamespace, "path");
  modules.setAttribute("d", squares.join(""));
  modules.setAttribute("fill", "#000000");
  svg.append(ground, modules);
  return svg;
}

// A QR code as vector squares, with the quiet zone that readers need.
import { encode } from "uqr";

const svgNamespace = "http://www.w3.org/2000/svg";

/** How a code looks. Colours in CSS notation. */
export interface QrStyle {
  color: string;
  background: string;
  /** Modules of background all around; the standard asks for four. */
  quietModules: number;
  /** How much of it may be covered: 7, 15, 25 or 30 %. */
  correction: "L" | "M" | "Q" | "H";
}

const plain: QrStyle = { color: "#000000", background: "#ffffff", quietModules: 4, correction: "M" };

/**
 * Draws `text` as a QR code; `modules` is its side, quiet zone included.
 * @throws Error when the text is too long for any code.
 */
export function drawQr(text: string, look: QrStyle = plain): { svg: SVGSVGElement; modules: number } {
  const { data, size } = encode(text, { ecc: look.correction, border: look.quietModules });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  const ground = document.createElementNS(svgNamespace, "rect");
  ground.setAttribute("width", String(size));
  ground.setAttribute("height", String(size));
  ground.setAttribute("fill", look.background);
  const modules = document.createElementNS(svgNamespace, "path");
  modules.setAttribute("d", squares.join(""));
  modules.setAttribute("fill", look.color);
  svg.append(ground, modules);
  return { svg, modules: size };
}

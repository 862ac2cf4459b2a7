// Draws a QR code as SVG, with the quiet zone that scanners need.
import { encode } from "uqr";

const svgNamespace = "http://www.w3.org/2000/svg";

/** The look of a QR code. Colours in CSS notation. */
export interface QrStyle {
  color: string;
  background: string;
  /** Width of the margin in modules; the standard asks for four. */
  quietModules: number;
  /** Error correction: the code stays readable with 7, 15, 25 or 30 % of it covered. */
  correction: "L" | "M" | "Q" | "H";
}

const defaultStyle: QrStyle = { color: "#000000", background: "#ffffff", quietModules: 4, correction: "M" };

/**
 * Draws `text` as a QR code. `modules` is the number of modules per side, quiet zone included.
 * @throws Error when the text is too long for any QR code.
 */
export function drawQr(text: string, style: QrStyle = defaultStyle): { svg: SVGSVGElement; modules: number } {
  const { data, size } = encode(text, { ecc: style.correction, border: style.quietModules });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  const background = document.createElementNS(svgNamespace, "rect");
  background.setAttribute("width", String(size));
  background.setAttribute("height", String(size));
  background.setAttribute("fill", style.background);
  const modules = document.createElementNS(svgNamespace, "path");
  modules.setAttribute("d", squares.join(""));
  modules.setAttribute("fill", style.color);
  svg.append(background, modules);
  return { svg, modules: size };
}

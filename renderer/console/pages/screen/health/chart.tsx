// A graph over time. It is for eyes only: beside it is the same in words and as a table.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import uPlot from "uplot";

interface ChartProps {
  /** Times in seconds, then a line for each series. */
  lines: (number | null)[][];
  series: readonly { name: string; colour: string }[];
  fromMs: number;
  format: (value: number) => string;
  timeZone: string | undefined;
}

const height = 160;

export function Chart({ lines, series, fromMs, format, timeZone }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    // A canvas knows no variables, and only an element knows whether it is light or dark.
    const colour = (name: string): string => {
      element.style.color = `var(${name})`;
      const { color } = getComputedStyle(element);
      element.style.removeProperty("color");
      return color;
    };
    let plot: uPlot | null = null;
    const draw = (): void => {
      plot?.destroy();
      const axis = {
        stroke: colour("--ink-faint"),
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { show: false },
        font: `11px ${getComputedStyle(element).fontFamily}`,
      };
      plot = new uPlot(
        {
          width: element.clientWidth,
          height,
          ...(timeZone === undefined ? {} : { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), timeZone) }),
          cursor: { sync: { key: "health" }, drag: { x: false, y: false } },
          legend: { show: series.length > 1 },
          scales: {
            x: { min: fromMs / 1_000, max: Date.now() / 1_000 },
            y: { range: (_self, least, most) => [Math.min(0, least), most <= 0 ? 1 : most * 1.1] },
          },
          axes: [axis, { ...axis, size: 64, values: (_self, values) => values.map(format) }],
          series: [
            {},
            ...series.map(({ name, colour: line }) => ({
              label: name,
              stroke: colour(line),
              width: 1.5,
              // A single value is no line.
              points: { show: lines[0]!.length < 3 },
              value: (_self: uPlot, value: number | null) => (value === null ? "–" : format(value)),
            })),
          ],
        },
        lines as uPlot.AlignedData,
        element,
      );
    };
    const resizeObserver = new ResizeObserver(() => {
      if (plot === null) draw();
      else plot.setSize({ width: element.clientWidth, height });
    });
    resizeObserver.observe(element);
    // The colours are those of the appearance, which may change while the page is open.
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const themeObserver = new MutationObserver(draw);
    themeObserver.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    scheme.addEventListener("change", draw);
    return () => {
      resizeObserver.disconnect();
      themeObserver.disconnect();
      scheme.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [lines, series, fromMs, format, timeZone]);
  return <div ref={place} className="chart shrink crop" aria-hidden="true" />;
}

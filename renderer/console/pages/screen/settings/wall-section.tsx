// The part of a video wall that a screen shows: its place among equal displays, or the exact numbers.
import { useState, type ReactNode } from "react";
import { Radio, RadioGroup } from "react-aria-components";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { Section, type SectionProps } from "./section.tsx";
import "./wall.css";
import { gridOf, isPartOf, mostAcross, wallOf, type WallGrid } from "./wall-grid.ts";

const text = texts("screenSettings");
const fullHd = { width: 1_920, height: 1_080 };
const largest = 65_535;

type Wall = NonNullable<Schemas["Player"]["wall"]>;

export function WallSection({ draft: { settings, set }, errors, isDisabled, player }: SectionProps & { player: Schemas["Player"] }) {
  const { wall } = settings;
  // As the person said it: displays far from each other could also be read as more displays.
  const [input, setInput] = useState<WallGrid | null>(null);
  const grid = wall === null ? null : input !== null && isPartOf(input, wall) ? input : gridOf(wall);
  const { width, height } = player.resolution ?? fullHd;
  const first = { columns: 2, rows: 1, column: 0, row: 0, displayWidth: width, displayHeight: height, gap: 0 };
  return (
    <Section id="wall" title={text("wall")} about={text("wallAbout")}>
      <Switch isSelected={wall !== null} isDisabled={isDisabled} onChange={(isOn) => set("wall", isOn ? wallOf(first) : null)}>
        {text("wallOn")}
      </Switch>
      {wall === null ? null : grid === null ? (
        <ExactPlace wall={wall} errors={errors} isDisabled={isDisabled} onChange={(next) => set("wall", next)} />
      ) : (
        <GridPlace
          grid={grid}
          isDisabled={isDisabled}
          onChange={(next) => {
            const part = wallOf(next);
            if (part === null) return;
            setInput(next);
            set("wall", part);
          }}
        />
      )}
    </Section>
  );
}

function GridPlace({ grid, isDisabled, onChange }: { grid: WallGrid; isDisabled: boolean; onChange: (grid: WallGrid) => void }) {
  const { columns, rows, column, row, displayWidth, displayHeight, gap } = grid;
  const field = (label: MessageKey<"screenSettings">, name: keyof WallGrid, minValue: number, maxValue: number): ReactNode => (
    <NumberField
      label={text(label)}
      minValue={minValue}
      maxValue={maxValue}
      value={grid[name]}
      isDisabled={isDisabled}
      onChange={(value) => {
        if (Number.isNaN(value)) return;
        const next = { ...grid, [name]: value };
        onChange({ ...next, column: Math.min(next.column, next.columns - 1), row: Math.min(next.row, next.rows - 1) });
      }}
    />
  );
  return (
    <>
      <div className="wall-numbers grid gap-3 full-width">
        {field("wallColumns", "columns", 1, mostAcross)}
        {field("wallRows", "rows", 1, mostAcross)}
      </div>
      <RadioGroup
        className="wall-places grid full-width"
        aria-label={text("wallPlace")}
        orientation="horizontal"
        isDisabled={isDisabled}
        value={`${column} ${row}`}
        onChange={(place) => {
          const [chosenColumn, chosenRow] = place.split(" ").map(Number);
          onChange({ ...grid, column: chosenColumn!, row: chosenRow! });
        }}
        style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, aspectRatio: `${columns * displayWidth} / ${rows * displayHeight}` }}
      >
        {Array.from({ length: rows * columns }, (_, place) => {
          const [ofColumn, ofRow] = [place % columns, Math.floor(place / columns)];
          const label = text("wallCell", { column: ofColumn + 1, row: ofRow + 1 });
          return <Radio key={place} className="wall-place shrink surface pointer" value={`${ofColumn} ${ofRow}`} aria-label={label} />;
        })}
      </RadioGroup>
      <p className="field-description">{text("wallPlaceAbout", { column: column + 1, row: row + 1 })}</p>
      <div className="wall-numbers grid gap-3 full-width">
        {field("wallDisplayWidth", "displayWidth", Math.max(1, gap + 1), largest)}
        {field("wallDisplayHeight", "displayHeight", Math.max(1, gap + 1), largest)}
        {field("wallGap", "gap", 0, Math.min(displayWidth, displayHeight) - 1)}
      </div>
      <p className="field-description">{text("wallUnits")}</p>
    </>
  );
}

const edges = ["wall_width", "wall_height", "left", "top", "width", "height"] as const;

function ExactPlace({
  wall,
  errors,
  isDisabled,
  onChange,
}: Pick<SectionProps, "errors" | "isDisabled"> & { wall: Wall; onChange: (wall: Wall) => void }) {
  return (
    <>
      <p className="field-description">{text("wallExact")}</p>
      <div className="wall-numbers grid gap-3 full-width">
        {edges.map((edge) => (
          <NumberField
            key={edge}
            label={text(edge)}
            minValue={edge === "left" || edge === "top" ? 0 : 1}
            maxValue={largest}
            value={wall[edge]}
            isDisabled={isDisabled}
            error={errors[edge]}
            onChange={(value) => (Number.isNaN(value) ? undefined : onChange({ ...wall, [edge]: value }))}
          />
        ))}
      </div>
    </>
  );
}

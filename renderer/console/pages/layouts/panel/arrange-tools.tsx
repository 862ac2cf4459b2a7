// Aligns, distributes and stacks the selected zones.
import { Toolbar } from "react-aria-components";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import type { IconName } from "../../../ui/icon-paths.ts";
import { align, alignments, distribute, restack, type Alignment, type StackMove } from "../model/arrange.ts";
import { edit, type Act, type Editor } from "../model/editor.ts";
import type { EditedLayout } from "../model/edited-layout.ts";
import { Tool } from "./tool.tsx";

const text = texts("layouts");

const alignIcons = {
  left: ["alignLeft", "alignLeft"],
  center: ["alignCenter", "alignCenter"],
  right: ["alignRight", "alignRight"],
  top: ["alignTop", "alignTop"],
  middle: ["alignMiddle", "alignMiddle"],
  bottom: ["alignBottom", "alignBottom"],
} as const satisfies Record<Alignment, readonly [MessageKey<"layouts">, IconName]>;

const stackMoves = [
  { move: "front", name: "toFront", icon: "toFront", keys: "}" },
  { move: "forward", name: "forward", icon: "arrowUp", keys: "]" },
  { move: "backward", name: "backward", icon: "arrowDown", keys: "[" },
  { move: "back", name: "toBack", icon: "toBack", keys: "{" },
] as const satisfies readonly { move: StackMove; name: MessageKey<"layouts">; icon: IconName; keys: string }[];

interface ArrangeToolsProps {
  selected: readonly string[];
  change: (update: (editor: Editor) => Editor) => void;
}

export function ArrangeTools({ selected, change }: ArrangeToolsProps) {
  const act = (name: Act, next: (layout: EditedLayout) => EditedLayout): void =>
    change((now) => edit(now, next(now.history.present), { act: name, at: Date.now() }));
  const cannotDistribute = selected.length < 3;
  return (
    <Toolbar className="wrap gap-1-3" aria-label={text("arrange")}>
      <span className="arrange-row" role="group" aria-label={text(selected.length === 1 ? "alignToLayout" : "alignToEach")}>
        {alignments.map((how) => {
          const [name, icon] = alignIcons[how];
          return <Tool key={how} name={text(name)} icon={icon} onPress={() => act("align", (layout) => align(layout, selected, how))} />;
        })}
      </span>
      <span className="arrange-row" role="group" aria-label={text("distribute")}>
        {(["across", "down"] as const).map((axis) => (
          <Tool
            key={axis}
            name={text(axis === "across" ? "distributeAcross" : "distributeDown")}
            icon={axis === "across" ? "distributeAcross" : "distributeDown"}
            isDisabled={cannotDistribute}
            onPress={() => act("distribute", (layout) => distribute(layout, selected, axis))}
          />
        ))}
      </span>
      <span className="arrange-row" role="group" aria-label={text("stacking")}>
        {stackMoves.map(({ move, name, icon, keys }) => (
          <Tool
            key={move}
            name={text(name)}
            icon={icon}
            keys={keys}
            onPress={() => act("stack", (layout) => restack(layout, selected, move))}
          />
        ))}
      </span>
    </Toolbar>
  );
}

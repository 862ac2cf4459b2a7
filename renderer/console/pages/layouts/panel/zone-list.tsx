// All zones from front to back: for choosing those that lie behind others or are very small.
import { Button, GridList, GridListItem, useDragAndDrop, type Key } from "react-aria-components";
import { texts } from "../../../i18n/texts.ts";
import { Icon } from "../../../ui/icon.tsx";
import { stackAt } from "../model/arrange.ts";
import { edit, select, type Editor } from "../model/editor.ts";

const text = texts("layouts");

interface ZoneListProps {
  editor: Editor;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
}

export function ZoneList({ editor, isReadOnly, change }: ZoneListProps) {
  const { zones } = editor.history.present;
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    getDropOperation: () => "move",
    onReorder: ({ keys, target: { key, dropPosition } }) => {
      const [source] = keys;
      if (source === undefined || dropPosition === "on") return;
      change((now) => edit(now, moveTo(now, String(source), key, dropPosition), { act: "stack", at: Date.now() }));
    },
  });
  return (
    <GridList
      className="zone-list stack gap-hair"
      aria-label={text("zonesFrontToBack")}
      items={zones.toReversed().map(({ key, name, width, height }) => ({ id: key, name, width, height }))}
      dependencies={[zones, isReadOnly]}
      selectionMode="multiple"
      selectionBehavior="replace"
      selectedKeys={editor.selected}
      onSelectionChange={(keys) => change((now) => select(now, keys === "all" ? zones.map(({ key }) => key) : [...keys].map(String)))}
      dragAndDropHooks={dragAndDropHooks}
      renderEmptyState={() => <p className="faint">{text("noZones")}</p>}
    >
      {({ id, name, width, height }) => (
        <GridListItem id={id} textValue={name} className="zone-row row gap-2 rounded-s">
          {isReadOnly ? null : (
            <Button slot="drag" className="zone-grip center rigid bare rounded-s no-padding" aria-label={text("dragZone", { name })}>
              <Icon name="grip" />
            </Button>
          )}
          <span className="truncate grow shrink medium">{name}</span>
          <span className="faint rigid small digits">{text("size", { width: String(width), height: String(height) })}</span>
        </GridListItem>
      )}
    </GridList>
  );
}

/** The list runs from front to back, the layout's zones from back to front. */
function moveTo({ history: { present } }: Editor, sourceKey: string, target: Key, position: "before" | "after") {
  const rest = present.zones.filter(({ key }) => key !== sourceKey);
  const place = rest.findIndex(({ key }) => key === target);
  return place === -1 ? present : stackAt(present, sourceKey, position === "before" ? place + 1 : place);
}

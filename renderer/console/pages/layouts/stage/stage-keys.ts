// The keys of the stage: arrows move, with Alt they resize; the rest turns, orders, copies and removes.
import { copiesOf } from "../new-key.ts";
import { restack, type StackMove } from "../model/arrange.ts";
import { edit, select, type Act, type Editor } from "../model/editor.ts";
import type { EditedLayout } from "../model/edited-layout.ts";
import { growZones, moveZones, turnZone } from "../model/place.ts";
import { duplicateZones, removeZones } from "../model/zones.ts";

/** A key as far as it matters here. */
export interface KeyPress {
  key: string;
  altKey: boolean;
  shiftKey: boolean;
  /** Ctrl, on Apple's keyboards ⌘. */
  mainKey: boolean;
}

const arrows: Readonly<Record<string, { x: number; y: number }>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const stackKeys: Readonly<Record<string, StackMove>> = { "]": "forward", "[": "backward", "}": "front", "{": "back" };
const turnKeys: Readonly<Record<string, number>> = { ".": 1, ",": -1, ">": 15, "<": -15 };

/**
 * The effect of a key on the editor; null: none.
 * @param focusKey the zone that has the focus. If it is not selected, the key is about it alone.
 */
export function pressKey(editor: Editor, focusKey: string, press: KeyPress, at: number): Editor | null {
  const { key, altKey, shiftKey, mainKey } = press;
  const keys = editor.selected.includes(focusKey) ? editor.selected : [focusKey];
  const zones = editor.history.present.zones;
  const act = (name: Act, next: EditedLayout, more: { token?: string; select?: readonly string[] } = {}): Editor =>
    edit(select(editor, keys), next, { act: name, at, ...more });
  const layout = editor.history.present;
  if (mainKey) {
    if (key === "a")
      return select(
        editor,
        zones.map((zone) => zone.key),
      );
    if (key !== "d") return null;
    const copies = copiesOf(keys);
    return act("duplicate", duplicateZones(layout, copies), { select: [...copies.values()] });
  }
  const arrow = arrows[key];
  if (arrow !== undefined) {
    const by = { x: arrow.x * (shiftKey ? 10 : 1), y: arrow.y * (shiftKey ? 10 : 1) };
    const token = `${altKey ? "grow" : "move"} ${keys.join(" ")}`;
    return altKey ? act("resize", growZones(layout, keys, by), { token }) : act("move", moveZones(layout, keys, by), { token });
  }
  if (altKey) return null;
  const stack = stackKeys[key];
  if (stack !== undefined) return act("stack", restack(layout, keys, stack));
  const turn = turnKeys[key];
  if (turn !== undefined) {
    const next = keys.reduce((each, one) => turnZone(each, one, zones.find((zone) => zone.key === one)!.rotation + turn), layout);
    return act("turn", next, { token: `turn ${keys.join(" ")}` });
  }
  if (key === "Delete" || key === "Backspace") return act("remove", removeZones(layout, keys));
  if (key === "Escape") return editor.selected.length === 0 ? null : select(editor, []);
  return null;
}

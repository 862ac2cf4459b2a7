// The keys of the stage: arrows move, with Alt they resize; the rest turns, orders, copies and removes.
import { copiesOf } from "../new-key.ts";
import { restack, type StackMove } from "../model/arrange.ts";
import { edit, select, type Act, type Editor } from "../model/editor.ts";
import type { EditedLayout } from "../model/edited-layout.ts";
import { growZones, moveZones, turnZone } from "../model/place.ts";
import { duplicateZones, removeZones } from "../model/zones.ts";

/** A key as far as it matters here. */
export interface Pressed {
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
 * What a key does to the editor; null: nothing.
 * @param focused the zone that has the focus. If it is not selected, the key is about it alone.
 */
export function pressKey(editor: Editor, focused: string, pressed: Pressed, at: number): Editor | null {
  const { key, altKey, shiftKey, mainKey } = pressed;
  const chosen = editor.selected.includes(focused) ? editor.selected : [focused];
  const zones = editor.history.present.zones;
  const act = (name: Act, next: EditedLayout, more: { token?: string; select?: readonly string[] } = {}): Editor =>
    edit(select(editor, chosen), next, { act: name, at, ...more });
  const layout = editor.history.present;
  if (mainKey) {
    if (key === "a")
      return select(
        editor,
        zones.map((zone) => zone.key),
      );
    if (key !== "d") return null;
    const copies = copiesOf(chosen);
    return act("duplicate", duplicateZones(layout, copies), { select: [...copies.values()] });
  }
  const arrow = arrows[key];
  if (arrow !== undefined) {
    const by = { x: arrow.x * (shiftKey ? 10 : 1), y: arrow.y * (shiftKey ? 10 : 1) };
    const token = `${altKey ? "grow" : "move"} ${chosen.join(" ")}`;
    return altKey ? act("resize", growZones(layout, chosen, by), { token }) : act("move", moveZones(layout, chosen, by), { token });
  }
  if (altKey) return null;
  const stack = stackKeys[key];
  if (stack !== undefined) return act("stack", restack(layout, chosen, stack));
  const turn = turnKeys[key];
  if (turn !== undefined) {
    const turned = chosen.reduce((each, one) => turnZone(each, one, zones.find((zone) => zone.key === one)!.rotation + turn), layout);
    return act("turn", turned, { token: `turn ${chosen.join(" ")}` });
  }
  if (key === "Delete" || key === "Backspace") return act("remove", removeZones(layout, chosen));
  if (key === "Escape") return editor.selected.length === 0 ? null : select(editor, []);
  return null;
}

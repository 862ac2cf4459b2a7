// Which helps the stage shows, as the person has set them on this device.
import { useState } from "react";
import type { StageRules } from "./stage/use-drag.ts";

const storedAt = "layout-helps";
const first: StageRules = { snaps: true, hasGrid: false, hasSafeArea: false };

export function useStageRules(): [StageRules, (rules: StageRules) => void] {
  const [rules, setRules] = useState(read);
  return [
    rules,
    (next) => {
      const words = [next.snaps ? "" : "free", next.hasGrid ? "grid" : "", next.hasSafeArea ? "safe" : ""];
      localStorage.setItem(storedAt, words.join(" "));
      setRules(next);
    },
  ];
}

function read(): StageRules {
  const words = localStorage.getItem(storedAt)?.split(" ");
  return words === undefined
    ? first
    : { snaps: !words.includes("free"), hasGrid: words.includes("grid"), hasSafeArea: words.includes("safe") };
}

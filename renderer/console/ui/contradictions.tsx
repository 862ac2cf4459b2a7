// Asks whose changes count where two people have changed the same of one form differently.
import "./contradictions.css";
import { formatList } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";

const text = texts("contradictions");

interface ContradictionsProps {
  /** The change that somebody else has made meanwhile, as a sentence. */
  title: string;
  /** The names of the parts that both have changed; without any, nothing is asked. */
  parts: readonly string[];
  choose: (whose: "mine" | "theirs") => void;
}

export function Contradictions({ title, parts, choose }: ContradictionsProps) {
  if (parts.length === 0) return null;
  return (
    <div className="contradictions cluster gap-3 pad-3-4 rounded warn-ground" role="alert">
      <div>
        <strong>{title}</strong>
        <p>{text("parts", { parts: formatList(parts) })}</p>
      </div>
      <Button onPress={() => choose("theirs")}>{text("takeTheirs")}</Button>
      <Button kind="primary" onPress={() => choose("mine")}>
        {text("keepMine")}
      </Button>
    </div>
  );
}

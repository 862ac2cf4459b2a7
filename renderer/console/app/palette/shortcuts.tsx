// The list of the keys (`?`).
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { texts } from "../../i18n/texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { allowSingleKeys, allowsSingleKeys, searchKeys } from "../keys.ts";
import { placesOf } from "../places.ts";
import "./palette.css";

const text = texts("palette");
const commonText = texts("common");

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [isAllowed, setIsAllowed] = useState(allowsSingleKeys);
  return (
    <Dialog title={text("shortcuts")} isOpen onClose={onClose} size="small">
      <dl className="shortcuts grid middle gap-3-4">
        <dt>{text("shortcutsSearch")}</dt>
        <dd>
          {searchKeys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dd>
        <dt>{text("shortcutsHelp")}</dt>
        <dd>
          <kbd>?</kbd>
        </dd>
        {placesOf(router).map(({ to, name, key }) =>
          key === undefined ? null : <PlaceKeys key={to} name={commonText(name)} letter={key.toUpperCase()} />,
        )}
      </dl>
      <label className="shortcuts-single flex top gap-3 line-above pointer">
        <input
          type="checkbox"
          checked={isAllowed}
          onChange={({ target }) => {
            allowSingleKeys(target.checked);
            setIsAllowed(target.checked);
          }}
        />
        <span>
          {text("shortcutsSingle")}
          <br />
          <span className="faint">{text("shortcutsSingleHint")}</span>
        </span>
      </label>
    </Dialog>
  );
}

function PlaceKeys({ name, letter }: { name: string; letter: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <kbd>G</kbd> {text("shortcutsThen")} <kbd>{letter}</kbd>
      </dd>
    </>
  );
}

// A text to pass on, such as a link or a secret, with a button that copies it.
import { useState } from "react";
import { Input, Label, Text, TextField } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { tellFailure } from "./toasts.tsx";
import "./copy-field.css";

const text = texts("common");

export function CopyField({ label, value, description }: { label: string; value: string; description?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div className="copy-field grid gap-2">
      <TextField className="field" value={value} isReadOnly>
        <Label>{label}</Label>
        <Input className="input copy-value" onFocus={(event) => event.currentTarget.select()} />
        {description === undefined ? null : (
          <Text slot="description" className="field-description">
            {description}
          </Text>
        )}
      </TextField>
      <Button onPress={() => tellFailure(copy(value).then(() => setIsCopied(true)))}>
        {isCopied ? <Icon name="check" /> : null}
        <span aria-live="polite">{text(isCopied ? "copied" : "copy")}</span>
      </Button>
    </div>
  );
}

/** Copies a text. Browsers offer the clipboard's API only over https and on localhost: elsewhere on a LAN, a selection is copied. */
async function copy(value: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(value);
  const area = document.createElement("textarea");
  area.value = value;
  area.readOnly = true;
  const place = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body;
  const focus = document.activeElement;
  place.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (focus instanceof HTMLElement) focus.focus();
}

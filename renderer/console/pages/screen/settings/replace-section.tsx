// Moves the screen to another device, for hardware that broke.
import { useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ReplaceDevice } from "../../pair/replace-device.tsx";
import { Section } from "./section.tsx";

const text = texts("screenSettings");

export function ReplaceSection({ id, name }: { id: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section id="replace" title={text("device")} about={text("deviceAbout")}>
      <div>
        <Button onPress={() => setIsOpen(true)}>{text("replaceDevice")}</Button>
      </div>
      <ReplaceDevice player={{ id, name }} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </Section>
  );
}

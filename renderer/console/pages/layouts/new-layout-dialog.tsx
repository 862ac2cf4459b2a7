// Makes a layout: one of the starting layouts, and a name.
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { texts } from "../../i18n/texts.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formOf } from "../../ui/form.ts";
import { TextField } from "../../ui/text-field.tsx";
import { LayoutPicture } from "./layout-picture.tsx";
import { createLayout } from "./layouts.ts";
import { starts, type Start } from "./model/starts.ts";

const text = texts("layouts");

const roleNames = { main: "roleMain", side: "roleSide", ticker: "roleTicker", header: "roleHeader", menu: "roleMenu" } as const;

function create(name: string, { width, height, zones }: Start) {
  const zonesWithNames = zones.map(({ role, ...box }) => ({ ...box, name: text(roleNames[role]) }));
  return createLayout({ name, width, height, zones: zonesWithNames });
}

export function NewLayoutDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [start, setStart] = useState(starts[0]!);
  const creating = useMutation({
    mutationFn: () => create(name, start),
    onSuccess: ({ id }) => navigate({ to: "/layouts/$id", params: { id } }),
  });
  const form = formOf(creating, ["name"], creating.mutate);
  return (
    <FormDialog title={text("create")} action={text("createDo")} form={form} onClose={onClose} size="large">
      <TextField label={text("name")} value={name} onChange={setName} error={form.errors.name} maxLength={200} isRequired autoFocus />
      <RadioGroup
        className="field"
        value={start.id}
        onChange={(id) => setStart(starts.find((each) => each.id === id) ?? start)}
        aria-label={text("starts")}
      >
        <StartGroup title={text("landscape")} starts={starts.filter(({ width, height }) => width > height)} />
        <StartGroup title={text("portrait")} starts={starts.filter(({ width, height }) => width <= height)} />
      </RadioGroup>
    </FormDialog>
  );
}

function StartGroup({ title, starts: group }: { title: string; starts: readonly Start[] }) {
  return (
    <div className="stack gap-2 above-2">
      <Label elementType="span" className="label">
        {title}
      </Label>
      <div className="starts grid gap-3">
        {group.map(({ id, width, height, zones }) => (
          <Radio key={id} value={id} className="start stack crop outlined pointer rounded">
            <span className="start-picture center pad-3 sunken">
              <LayoutPicture
                width={width}
                height={height}
                background="#000000"
                zones={zones.map((zone) => ({ ...zone, key: `${zone.left} ${zone.top}` }))}
              />
            </span>
            <span className="start-name pad-2-3 grow line-above small medium">{text(id)}</span>
          </Radio>
        ))}
      </div>
    </div>
  );
}

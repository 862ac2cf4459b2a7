// Filters of the audit log: the person, the operation, and its object.
import { useState, type FormEvent } from "react";
import { useMembers } from "../../../data/members.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { AuditSearch } from "../routes.ts";
import { actions, actionName } from "./action-name.ts";

const text = texts("audit");

/** The choice that filters nothing: no user and no action has it as its id. */
const all = "";

export function AuditFilters({ value, onChange }: { value: AuditSearch; onChange: (value: AuditSearch) => void }) {
  const { members = [] } = useMembers();
  const [resource, setResource] = useState(value.resource ?? "");
  const people = [{ id: all, name: text("everybody") }, ...members.map(({ user_id, name }) => ({ id: user_id, name }))];
  const actionOptions = [{ id: all, name: text("everyAction") }, ...actions];
  const isUnknown = value.action !== undefined && actionOptions.every(({ id }) => id !== value.action);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange({ ...value, resource: resource.trim() || undefined });
  };
  return (
    <search className="filters wrap bottom gap-3" aria-label={text("filters")}>
      <Select<string>
        label={text("person")}
        options={people}
        selectedKey={value.user ?? all}
        onSelectionChange={(user) => onChange({ ...value, user: user || undefined })}
      />
      <Select<string>
        label={text("action")}
        options={isUnknown ? [...actionOptions, { id: value.action!, name: actionName(value.action!) }] : actionOptions}
        selectedKey={value.action ?? all}
        onSelectionChange={(action) => onChange({ ...value, action: action || undefined })}
      />
      <form onSubmit={submit}>
        <TextField
          label={text("resourceId")}
          placeholder="plr_…"
          value={resource}
          onChange={setResource}
          onBlur={() => onChange({ ...value, resource: resource.trim() || undefined })}
          maxLength={100}
        />
      </form>
      {value.user === undefined && value.action === undefined && value.resource === undefined ? null : (
        <Button
          kind="quiet"
          onPress={() => {
            setResource("");
            onChange({});
          }}
        >
          {text("clear")}
        </Button>
      )}
    </search>
  );
}

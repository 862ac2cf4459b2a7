// The secrets with which a web page lets the screen in: a name and a password, or headers. The service never tells stored ones.
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { FieldProps } from "./field-props.ts";

const text = texts("playlistEditor");

export function SignInField({ label, value, error, isDisabled, onChange, onDone }: FieldProps) {
  const { username = "", password = "" } = (value ?? {}) as { username?: string; password?: string };
  const change = (next: { username: string; password: string }): void =>
    onChange(next.username === "" && next.password === "" ? undefined : next, true);
  return (
    <fieldset className="field-group">
      <legend>{label}</legend>
      <TextField
        label={text("userName")}
        value={username}
        maxLength={200}
        autoComplete="off"
        onChange={(input) => change({ username: input, password })}
        onBlur={onDone}
        error={error}
        isDisabled={isDisabled}
      />
      <TextField
        label={text("password")}
        type="password"
        autoComplete="new-password"
        description={text("secretHint")}
        value={password}
        maxLength={1_000}
        onChange={(input) => change({ username, password: input })}
        onBlur={onDone}
        isDisabled={isDisabled}
      />
    </fieldset>
  );
}

export function HeadersField({ label, value, error, isDisabled, onChange, onDone }: FieldProps) {
  const lines = Object.entries((value ?? {}) as Readonly<Record<string, string>>);
  const replace = (index: number, line: [string, string]): void => onChange(Object.fromEntries(lines.with(index, line)), true);
  return (
    <fieldset className="field-group">
      <legend>{label}</legend>
      {lines.map(([name, secret], index) => (
        // The name changes with every letter: only the place stays.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="header-line flex top gap-2">
          <TextField
            label={text("headerName")}
            value={name}
            maxLength={100}
            onChange={(input) => replace(index, [input, secret])}
            onBlur={onDone}
            isDisabled={isDisabled}
          />
          <TextField
            label={text("headerValue")}
            value={secret}
            maxLength={4_096}
            autoComplete="off"
            onChange={(input) => replace(index, [name, input])}
            onBlur={onDone}
            isDisabled={isDisabled}
          />
          {isDisabled ? null : (
            <Button
              kind="quiet"
              size="small"
              aria-label={text("headerRemove", { name })}
              onPress={() => onChange(Object.fromEntries(lines.toSpliced(index, 1)))}
            >
              <Icon name="trash" />
            </Button>
          )}
        </div>
      ))}
      {error === undefined ? null : <p className="field-error">{error}</p>}
      {isDisabled || lines.length >= 20 || lines.some(([name]) => name === "") ? null : (
        <Button size="small" onPress={() => onChange({ ...Object.fromEntries(lines), "": "" }, true)}>
          <Icon name="plus" />
          {text("headerAdd")}
        </Button>
      )}
      {lines.length === 0 ? null : <p className="field-description">{text("secretHint")}</p>}
    </fieldset>
  );
}

// Chooses the permissions of a token: a suggestion, or single ones.
import type { Scope } from "../../../../../src/protocol/operator/people.ts";
import { useSession } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { presets, scopeGroups } from "./scopes.ts";
import "./tokens.css";

const text = texts("tokens");

export function ScopeField({ value, onChange }: { value: ReadonlySet<Scope>; onChange: (value: ReadonlySet<Scope>) => void }) {
  const { scopes: ownScopes } = useSession();
  const set = (scope: Scope, isChosen: boolean): void => {
    const next = new Set(value);
    if (isChosen) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  return (
    <fieldset className="scopes stack gap-2 shrink no-padding no-margin">
      <legend className="label strong no-padding">{text("permissions")}</legend>
      <div className="wrap gap-2" role="group" aria-label={text("presets")}>
        {presets.map(({ name, includes }) => (
          <Button key={name} size="small" onPress={() => onChange(new Set(ownScopes.filter(includes)))}>
            {name}
          </Button>
        ))}
      </div>
      <div className="lined outlined rounded">
        {scopeGroups.map(({ name, read, write }) => (
          <div key={name} className="scope-row cluster between pad-1-3 gap-0-3">
            <span>{name}</span>
            <span className="scope-choices">
              {read === null ? null : (
                <Checkbox
                  aria-label={text("readOf", { name })}
                  isSelected={value.has(read)}
                  isDisabled={!ownScopes.includes(read)}
                  onChange={(isChosen) => set(read, isChosen)}
                >
                  {text("read")}
                </Checkbox>
              )}
              {write === null ? null : (
                <Checkbox
                  aria-label={text("writeOf", { name })}
                  isSelected={value.has(write)}
                  isDisabled={!ownScopes.includes(write)}
                  onChange={(isChosen) => set(write, isChosen)}
                >
                  {text("write")}
                </Checkbox>
              )}
            </span>
          </div>
        ))}
      </div>
      {scopeGroups.every(({ read, write }) => [read, write].every((scope) => scope === null || ownScopes.includes(scope))) ? null : (
        <p className="field-description">{text("notYours")}</p>
      )}
    </fieldset>
  );
}

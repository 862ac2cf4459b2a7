// Chooses screens: by their names, by their tags, or all of them. Shows the choices, and how many screens they are.
import { useContext, useEffect, useMemo, useState } from "react";
import {
  Button as AriaButton,
  ComboBox,
  ComboBoxStateContext,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
  type Key,
} from "react-aria-components";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { choicesFor, suggestionsFor, withChoice, withoutChoice, type Choice } from "./target-choices.ts";
import { isEmptyTarget, screensOf, type Target } from "./target.ts";
import { useTeamScreens } from "./team-screens.ts";
import "./target-picker.css";

const text = texts("targets");

export interface TargetPickerProps {
  value: Target;
  onChange: (value: Target) => void;
  /** Default: “Screens or tags”. */
  label?: string;
  /** True if all screens of the team can be chosen at once. */
  allowsEverywhere?: boolean;
  autoFocus?: boolean;
}

export function TargetPicker({ value, onChange, label = text("label"), allowsEverywhere = false, autoFocus = false }: TargetPickerProps) {
  const screens = useTeamScreens();
  const [query, setQuery] = useState("");
  const { choices, more } = useMemo(
    () => choicesFor({ screens: screens ?? [], query, value, allowsEverywhere }),
    [screens, query, value, allowsEverywhere],
  );
  // For a moment the last choice is the value: then the list closes, and the controls below it can be seen and pressed.
  const [justChosen, setJustChosen] = useState<Key | null>(null);
  useEffect(() => setJustChosen(null), [justChosen]);
  const choose = (key: Key | null): void => {
    const choice = choices.find(({ id }) => id === key);
    // Nothing is chosen when the list is closed by Escape or by leaving it: the typed text goes too.
    setQuery("");
    if (choice === undefined) return;
    setJustChosen(choice.id);
    onChange(withChoice(value, choice));
  };
  return (
    <div className="stack gap-2 shrink">
      <ComboBox
        className="field"
        items={choices}
        inputValue={query}
        onInputChange={setQuery}
        value={justChosen}
        onChange={choose}
        menuTrigger="focus"
        allowsEmptyCollection
        autoFocus={autoFocus}
      >
        <Label>{label}</Label>
        <div className="target-input row relative">
          <Icon name="search" />
          <OpeningInput />
          <AriaButton className="target-open center faint pointer bare" aria-label={text("open")}>
            <Icon name="chevronDown" />
          </AriaButton>
        </div>
        <Popover className="popover target-popover stack crop">
          <ListBox
            className="menu target-list"
            renderEmptyState={() => <p className="pad-2-3 small faint">{text(screens === undefined ? "loading" : "none")}</p>}
          >
            {(choice: Choice) => <ChoiceItem choice={choice} />}
          </ListBox>
          {more === 0 ? null : <p className="pad-2-3 small faint">{text("more", { count: more })}</p>}
        </Popover>
      </ComboBox>
      <Suggestions
        choices={isEmptyTarget(value) && screens !== undefined ? suggestionsFor(screens, allowsEverywhere) : []}
        onChoose={(choice) => onChange(withChoice(value, choice))}
      />
      <Chosen value={value} onChange={onChange} />
    </div>
  );
}

/** The field: pressing it opens the list again, for a further choice. */
function OpeningInput() {
  const state = useContext(ComboBoxStateContext);
  const open = (): void => {
    if (state?.isOpen === false) state.open(null, "manual");
  };
  return <Input className="input" placeholder={text("placeholder")} onClick={open} />;
}

/** The most frequent choices, so that one press is enough. */
function Suggestions({ choices, onChoose }: { choices: readonly Choice[]; onChoose: (choice: Choice) => void }) {
  if (choices.length === 0) return null;
  return (
    <div className="wrap gap-2" role="group" aria-label={text("suggestions")}>
      {choices.map((choice) => (
        <AriaButton key={choice.id} className="suggestion inline-row gap-2 outlined surface small pointer" onPress={() => onChoose(choice)}>
          <Icon name={choice.kind === "tag" ? "tag" : "screens"} />
          <span className="target-name">{choice.name}</span>
          {choice.count === null ? null : <span className="faint">{text("number", { count: choice.count })}</span>}
        </AriaButton>
      ))}
    </div>
  );
}

function ChoiceItem({ choice }: { choice: Choice }) {
  const { name, kind, count, isOffline } = choice;
  return (
    <ListBoxItem id={choice.id} className="menu-item target-item" textValue={name}>
      <Icon name={kind === "tag" ? "tag" : "screens"} />
      <span className="target-name">{name}</span>
      {count === null ? null : <span className="faint">{text("count", { count })}</span>}
      {isOffline ? <span className="badge">{text("offline")}</span> : null}
    </ListBoxItem>
  );
}

const mostChips = 40;

function Chosen({ value, onChange }: { value: Target; onChange: (value: Target) => void }) {
  const screens = useTeamScreens();
  const chosen = screensOf(value, screens ?? []);
  const names = useMemo(() => new Map(screens?.map(({ id, name }) => [id, name])), [screens]);
  const chips = [
    ...(value.everywhere === true ? [{ id: "everywhere", name: text("everywhere"), isTag: false }] : []),
    ...value.tags.map((tag) => ({ id: `tag:${tag}`, name: tag, isTag: true })),
    ...value.players.map((id) => ({ id: `player:${id}`, name: names.get(id) ?? text("unknown"), isTag: false })),
  ];
  const offline = chosen.filter(({ status }) => status === "offline").length;
  return (
    <>
      {chips.length === 0 ? null : (
        <TagGroup aria-label={text("chosen")} onRemove={(keys) => onChange([...keys].reduce<Target>(withoutChoice, value))}>
          <TagList className="wrap gap-1" items={chips.slice(0, mostChips)}>
            {({ name, isTag }) => (
              <Tag className="chip inline-row gap-1 tint round small strong accent" textValue={name}>
                {isTag ? <Icon name="tag" /> : null}
                <span className="target-name">{name}</span>
                <AriaButton
                  slot="remove"
                  className="chip-remove center tiny pointer bare round inherit-ink"
                  aria-label={text("remove", { name })}
                >
                  <Icon name="close" />
                </AriaButton>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      {chips.length > mostChips ? <p className="faint">{text("moreChosen", { count: chips.length - mostChips })}</p> : null}
      <p className="small faint" role="status">
        {chips.length === 0 || screens === undefined ? null : text("total", { count: chosen.length, offline })}
      </p>
    </>
  );
}

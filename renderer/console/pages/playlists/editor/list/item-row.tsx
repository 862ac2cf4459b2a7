// One item in the list: its name, how long it plays, and its immediate actions.
import { memo, type CSSProperties } from "react";
import { Button as AriaButton, Input, Label, NumberField } from "react-aria-components";
import type { Asset } from "../../../../data/assets.ts";
import { formatList } from "../../../../i18n/format.ts";
import { texts } from "../../../../i18n/texts.ts";
import { Button } from "../../../../ui/button.tsx";
import { Checkbox } from "../../../../ui/checkbox.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import type { IconName } from "../../../../ui/icon-paths.ts";
import { conditionInWords } from "../../../drafts/changes/condition-words.ts";
import { AssetThumbnail } from "../../../library/asset-facts.tsx";
import { kindOf } from "../../../../items/item-kinds.ts";
import { nameOf } from "../../../../items/item-words.ts";
import { durationOf, isLimited, isTimed, type Absence } from "../../model/loop.ts";
import type { Item } from "../../../../items/item.ts";
import type { Row } from "../../model/rows.ts";
import { useListState, type RowActs } from "./list-context.ts";

const text = texts("playlistEditor", "playlists");
const absenceWords = { "not-yet": "not_yet", over: "over", "not-now": "not_now" } as const;

/** Takes the data of this row from the context of the list. */
export function ItemRow({ id }: { id: string }) {
  const { rows, places, selectedKeys, assets, absences, nameOfCalendar, faults, isReadOnly, swapping, hasSettingsButton, acts } =
    useListState();
  const place = places.get(id);
  const row = place === undefined ? undefined : rows[place];
  // The list learns a moment later that a row is gone.
  if (row === undefined) return null;
  return (
    <RowContent
      row={row}
      place={place!}
      isLast={place === rows.length - 1}
      isChosen={selectedKeys.has(id)}
      asset={"asset_id" in row.item ? assets.get(row.item.asset_id) : undefined}
      absence={absences.get(id)}
      nameOfCalendar={nameOfCalendar}
      isFaulty={(faults.get(id)?.length ?? 0) > 0}
      isReadOnly={isReadOnly}
      swap={swapping === null ? null : swapping === id ? "source" : "target"}
      hasSettingsButton={hasSettingsButton}
      acts={acts}
    />
  );
}

interface RowContentProps {
  row: Row;
  place: number;
  isLast: boolean;
  isChosen: boolean;
  /** Null: it is gone; undefined: none, or not known yet. */
  asset: Asset | null | undefined;
  absence: Absence | undefined;
  nameOfCalendar: (id: string) => string;
  isFaulty: boolean;
  isReadOnly: boolean;
  /** While two items change places: whether it is the first of them; null: none do. */
  swap: "source" | "target" | null;
  hasSettingsButton: boolean;
  acts: RowActs;
}

const RowContent = memo(function RowContent(props: RowContentProps) {
  const { row, place, isChosen, asset, absence, nameOfCalendar, isFaulty, isReadOnly, swap, acts } = props;
  const { item } = row;
  const name = nameOf(item, asset);
  const notes = [
    text(item.type),
    isTimed(item) || isLimited(item) ? text("limited") : null,
    item.conditions === undefined
      ? null
      : text("onlyIf", { conditions: formatList(item.conditions.map((each) => conditionInWords(each, nameOfCalendar))) }),
    absence === undefined ? null : text("absent", { reason: absenceWords[absence] }),
  ];
  return (
    <>
      {isReadOnly || swap !== null ? null : (
        <>
          <AriaButton slot="drag" className="item-drag" aria-label={text("drag", { name })}>
            <Icon name="grip" />
          </AriaButton>
          {/* Not the list's own checkbox, which is named by the whole text of its row. */}
          <Checkbox slot={null} aria-label={text("select", { name })} isSelected={isChosen} onChange={() => acts.toggle(row)} />
        </>
      )}
      <span className="item-place small faint digits" aria-hidden="true">
        {place + 1}
      </span>
      <span className="item-picture" style={coloursOf(item)} data-absent={absence !== undefined || undefined}>
        {asset === null || asset === undefined ? <Icon name={kindOf(item.type).icon} /> : <AssetThumbnail asset={asset} />}
      </span>
      <span className="item-facts" data-absent={absence !== undefined || undefined}>
        <span className="item-name truncate strong">{name}</span>
        <span className="faint small">
          {notes.filter((note) => note !== null).join(" · ")}
          {isFaulty ? <span className="bad"> · {text("incompleteRow")}</span> : null}
        </span>
      </span>
      {swap === null ? (
        <>
          <RowDuration
            name={name}
            valueMs={durationOf(item, () => asset ?? undefined)}
            isReadOnly={isReadOnly}
            onChange={(durationMs) => acts.setDuration(row, durationMs)}
          />
          {isReadOnly ? null : <RowButtons {...props} name={name} />}
        </>
      ) : (
        <SwapButton isSource={swap === "source"} name={name} onPress={() => acts.pressSwap(row)} />
      )}
    </>
  );
});

function RowButtons({ row, place, isLast, hasSettingsButton, acts, name }: RowContentProps & { name: string }) {
  const buttons: { label: string; icon: IconName; isDisabled?: boolean; press: (row: Row) => void }[] = [
    { label: text("up", { name }), icon: "arrowUp", isDisabled: place === 0, press: () => acts.move(row, -1) },
    { label: text("down", { name }), icon: "arrowDown", isDisabled: isLast, press: () => acts.move(row, 1) },
    { label: text("swap", { name }), icon: "swap", isDisabled: place === 0 && isLast, press: acts.pressSwap },
    ...(hasSettingsButton ? [{ label: text("editItem", { name }), icon: "edit" as const, press: acts.openSettings }] : []),
    { label: text("remove", { name }), icon: "trash", press: acts.removeOne },
  ];
  return (
    <span className="item-buttons">
      {buttons.map(({ label, icon, isDisabled = false, press }) => (
        <Button key={icon} kind="quiet" size="small" isDisabled={isDisabled} aria-label={label} onPress={() => press(row)}>
          <Icon name={icon} />
        </Button>
      ))}
    </span>
  );
}

function SwapButton({ isSource, name, onPress }: { isSource: boolean; name: string; onPress: () => void }) {
  if (isSource) return <Icon name="swap" />;
  return (
    <Button size="small" aria-label={text("swapHere", { name })} onPress={onPress}>
      <Icon name="swap" />
      {text("swapHereShort")}
    </Button>
  );
}

/** The colours of a message, so that its row looks like it. */
function coloursOf(item: Item): CSSProperties {
  return "color" in item ? { color: item.color, backgroundColor: item.background_color } : {};
}

interface RowDurationProps {
  name: string;
  valueMs: number | null;
  isReadOnly: boolean;
  onChange: (durationMs: number | undefined) => void;
}

function RowDuration({ name, valueMs, isReadOnly, onChange }: RowDurationProps) {
  const seconds = valueMs === null ? Number.NaN : valueMs / 1_000;
  return (
    <NumberField
      className="item-duration"
      value={seconds}
      minValue={0.1}
      maxValue={86_400}
      isReadOnly={isReadOnly}
      formatOptions={{ maximumFractionDigits: 1 }}
      onChange={(value) => {
        if (value !== seconds) onChange(Number.isNaN(value) ? undefined : Math.round(value * 1_000));
      }}
    >
      <Label className="visually-hidden">{text("duration", { name })}</Label>
      <Input className="input" placeholder={text("ownLength")} />
      <span aria-hidden="true" className="faint">
        {text("seconds")}
      </span>
    </NumberField>
  );
}

// One item in the list: what it is, how long it plays, and what can be done with it at once.
import type { CSSProperties } from "react";
import { Button as AriaButton, Input, Label, NumberField } from "react-aria-components";
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { playlists } from "../../../i18n/en/playlists.ts";
import { formatList } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { conditionInWords } from "../../drafts/changes/condition-words.ts";
import { AssetThumbnail } from "../../library/asset-facts.tsx";
import { itemIcons } from "../item-words.ts";
import { durationOf, isLimited, isTimed } from "../model/loop.ts";
import type { Item } from "../model/item.ts";
import type { Row } from "../model/rows.ts";
import { useListState } from "./list-context.ts";

const text = texts({ ...playlistEditor, ...playlists });
const absenceWords = { "not-yet": "not_yet", over: "over", "not-now": "not_now" } as const;

export function ItemRow({ row, name }: { row: Row; name: string }) {
  const { places, chosen, assets, absences, nameOfCalendar, faults, isReadOnly, swapping, hasSettingsButton, ...acts } = useListState();
  const { item, key } = row;
  const asset = "asset_id" in item ? assets.get(item.asset_id) : undefined;
  const place = places.get(key) ?? 0;
  const absence = absences.get(key);
  const isFaulty = (faults.get(key)?.length ?? 0) > 0;
  const notes = [
    text(item.type),
    isTimed(item) || isLimited(item) ? text("limited") : null,
    item.conditions === undefined
      ? null
      : text("onlyIf", { conditions: formatList(item.conditions.map((each) => conditionInWords(each, nameOfCalendar))) }),
    absence === undefined ? null : text("absent", { reason: absenceWords[absence] }),
  ];
  const isSwapping = swapping !== null;
  return (
    <>
      {isReadOnly || isSwapping ? null : (
        <>
          <AriaButton slot="drag" className="item-drag" aria-label={text("drag", { name })}>
            <Icon name="grip" />
          </AriaButton>
          {/* Not the list's own checkbox, which is named by the whole text of its row. */}
          <Checkbox slot={null} aria-label={text("select", { name })} isSelected={chosen.has(key)} onChange={() => acts.onToggle(row)} />
        </>
      )}
      <span className="item-place" aria-hidden="true">
        {place + 1}
      </span>
      <span className="item-picture" style={coloursOf(item)} data-absent={absence !== undefined || undefined}>
        {asset === null || asset === undefined ? <Icon name={itemIcons[item.type]} /> : <AssetThumbnail asset={asset} />}
      </span>
      <span className="item-facts" data-absent={absence !== undefined || undefined}>
        <span className="item-name">{name}</span>
        <span className="faint">
          {notes.filter((note) => note !== null).join(" · ")}
          {isFaulty ? <span className="item-fault"> · {text("incompleteRow")}</span> : null}
        </span>
      </span>
      {isSwapping ? (
        <SwapButton isSource={swapping === key} name={name} onPress={() => acts.onSwap(row, name)} />
      ) : (
        <>
          <RowDuration
            name={name}
            valueMs={durationOf(item, (id) => assets.get(id) ?? undefined)}
            isReadOnly={isReadOnly}
            onChange={(durationMs) => acts.onDuration(row, durationMs)}
          />
          {isReadOnly ? null : (
            <span className="item-buttons">
              <Button
                kind="quiet"
                size="small"
                isDisabled={place === 0}
                aria-label={text("up", { name })}
                onPress={() => acts.onMove(row, -1, name)}
              >
                <Icon name="arrowUp" />
              </Button>
              <Button
                kind="quiet"
                size="small"
                isDisabled={place === places.size - 1}
                aria-label={text("down", { name })}
                onPress={() => acts.onMove(row, 1, name)}
              >
                <Icon name="arrowDown" />
              </Button>
              <Button
                kind="quiet"
                size="small"
                isDisabled={places.size < 2}
                aria-label={text("swap", { name })}
                onPress={() => acts.onSwap(row, name)}
              >
                <Icon name="swap" />
              </Button>
              {hasSettingsButton ? (
                <Button kind="quiet" size="small" aria-label={text("editItem", { name })} onPress={() => acts.onSettings(row)}>
                  <Icon name="edit" />
                </Button>
              ) : null}
              <Button kind="quiet" size="small" aria-label={text("remove", { name })} onPress={() => acts.onRemove(row)}>
                <Icon name="trash" />
              </Button>
            </span>
          )}
        </>
      )}
    </>
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
  const hasColours = item.type === "text" || item.type === "ticker" || item.type === "clock" || item.type === "qr" || item.type === "feed";
  return hasColours ? { color: item.color, backgroundColor: item.background_color } : {};
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

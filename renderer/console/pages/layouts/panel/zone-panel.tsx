// The settings of the selected zone: its numbers, its playlist and how it looks.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useAct } from "../../../data/use-act.ts";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { createPlaylist } from "../../playlists/playlists.ts";
import { playlistNamesQuery } from "../playlist-names.ts";
import { edit, type Act, type Editor } from "../model/editor.ts";
import { mostPixels, type EditedLayout, type EditedZone } from "../model/edited-layout.ts";
import { setZone, turnZone } from "../model/place.ts";
import { ColorField } from "./color-field.tsx";
import { NameField } from "./name-field.tsx";
import { TransitionFields } from "./transition-fields.tsx";

const text = texts("layouts");

interface ZonePanelProps {
  zone: EditedZone;
  layout: EditedLayout;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
}

const numbers = [
  { field: "left", label: "left" },
  { field: "top", label: "top" },
  { field: "width", label: "width" },
  { field: "height", label: "height" },
] as const;

export function ZonePanel({ zone, layout, isReadOnly, change }: ZonePanelProps) {
  const act = (name: Act, next: (now: EditedLayout) => EditedLayout, token?: string): void =>
    change((now) => edit(now, next(now.history.present), { act: name, at: Date.now(), ...(token === undefined ? {} : { token }) }));
  const set = (name: Act, changes: Partial<EditedZone>, token?: string): void => act(name, (now) => setZone(now, zone.key, changes), token);
  const mostOf = { left: layout.width - 1, top: layout.height - 1, width: layout.width, height: layout.height };
  return (
    <>
      <NameField value={zone.name} onChange={(name) => set("change", { name })} isDisabled={isReadOnly} />
      <PlaylistField zone={zone} isReadOnly={isReadOnly} onChange={(playlist_id) => set("change", { playlist_id })} />
      <div className="panel-numbers grid gap-3">
        {numbers.map(({ field, label }) => (
          <NumberField
            key={field}
            label={text(label)}
            unit={text("pixels")}
            formatOptions={{ useGrouping: false }}
            value={zone[field]}
            minValue={field === "width" || field === "height" ? 1 : 0}
            maxValue={Math.min(mostPixels, mostOf[field])}
            isDisabled={isReadOnly}
            onChange={(value) => {
              if (!Number.isNaN(value)) set(field === "left" || field === "top" ? "move" : "resize", { [field]: value });
            }}
          />
        ))}
        <NumberField
          label={text("rotation")}
          unit="°"
          value={zone.rotation}
          minValue={-359}
          maxValue={359}
          isDisabled={isReadOnly}
          onChange={(value) => {
            if (!Number.isNaN(value)) act("turn", (now) => turnZone(now, zone.key, value));
          }}
        />
      </div>
      <ColorField
        label={text("zoneBackground")}
        value={zone.background_color}
        isDisabled={isReadOnly}
        onChange={(background_color) => set("change", { background_color }, `color ${zone.key}`)}
        onClear={() => set("change", { background_color: null })}
      />
      <TransitionFields
        label={text("zoneTransition")}
        value={zone.transition}
        isDisabled={isReadOnly}
        onChange={(transition) => set("change", { transition })}
      />
    </>
  );
}

interface PlaylistFieldProps {
  zone: EditedZone;
  isReadOnly: boolean;
  onChange: (playlistId: string | null) => void;
}

function PlaylistField({ zone, isReadOnly, onChange }: PlaylistFieldProps) {
  const { data } = useQuery(playlistNamesQuery);
  const mayMake = useMay("playlists:write");
  const making = useAct({ run: () => createPlaylist(zone.name), changes: ["playlists"], after: ({ id }) => onChange(id) });
  const choices = data ?? [];
  return (
    <div className="panel-playlist stack top gap-2">
      <ComboBox
        key={`${zone.key} ${zone.playlist_id} ${choices.length}`}
        label={text("playlist")}
        choices={choices}
        value={zone.playlist_id}
        onChange={onChange}
        placeholder={text("noPlaylist")}
        isDisabled={isReadOnly}
      />
      {zone.playlist_id !== null ? (
        <Link to="/playlists/$id" params={{ id: zone.playlist_id }} className="panel-link inline-row small">
          {text("openPlaylist")}
        </Link>
      ) : mayMake && !isReadOnly ? (
        <Button size="small" isPending={making.isPending} onPress={() => making.mutate()}>
          {text("makePlaylist")}
        </Button>
      ) : null}
    </div>
  );
}

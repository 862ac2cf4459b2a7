// The content of a zone on the stage above the preview: its name and its playlist, and until the preview shows it, the first picture.
import { useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { assetQuery, thumbnailUrl } from "../../../data/assets.ts";
import { texts } from "../../../i18n/texts.ts";
import { kindOf } from "../../../items/item-kinds.ts";
import { Icon } from "../../../ui/icon.tsx";
import { playlistQuery } from "../../playlists/playlists.ts";
import type { EditedZone } from "../model/edited-layout.ts";

const text = texts("layouts");

interface ZoneContentProps {
  zone: EditedZone;
  /** True if the preview behind it shows the zone as it is. */
  isPreviewed: boolean;
}

/** Drawn again only with its own zone: a hundred of them lie on a stage while one is dragged. */
export const ZoneContent = memo(function ZoneContent({ zone, isPreviewed }: ZoneContentProps) {
  const { name, playlist_id } = zone;
  const { data, isError } = useQuery({ ...playlistQuery(playlist_id ?? ""), enabled: playlist_id !== null });
  const playlist = playlist_id === null ? null : data?.playlist;
  const pictureItem = playlist?.items.find(({ type }) => kindOf(type).isPicture);
  const assetId = pictureItem !== undefined && "asset_id" in pictureItem ? pictureItem.asset_id : null;
  const asset = useQuery({ ...assetQuery(assetId ?? ""), enabled: assetId !== null });
  const picture = asset.data === undefined || assetId === null ? null : thumbnailUrl(asset.data);
  const words = playlist_id === null ? text("noPlaylist") : isError ? text("playlistGone") : playlist?.name;
  return (
    <span className="zone-content flex bottom fill" data-empty={playlist_id === null} data-previewed={isPreviewed}>
      {picture === null || isPreviewed ? null : <img className="full-width fill" src={picture} alt="" draggable={false} decoding="async" />}
      <span className="zone-label stack relative rounded-s tiny text-start">
        {/* Whoever does not see the stage is told the name together with the place. */}
        <strong className="truncate" aria-hidden="true">
          {name}
        </strong>
        {words === undefined ? null : (
          <span className="zone-playlist truncate row">
            {playlist_id === null ? null : <Icon name="playlist" />}
            <span>{words}</span>
          </span>
        )}
      </span>
    </span>
  );
});

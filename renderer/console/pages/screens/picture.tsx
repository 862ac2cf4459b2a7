// The newest picture of a screen with its age, and the button that asks for another.
import "./picture.css";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { requestPicture, usePictureRequest } from "../../data/picture-requests.ts";
import { fileUrl } from "../../data/client.ts";
import type { RosterPlayer } from "../../data/roster.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Icon } from "../../ui/icon.tsx";

const text = texts("screens");

export interface PictureProps {
  row: RosterPlayer;
  /** The rights of the person: look at pictures, and ask for them. */
  maySee: boolean;
  mayAsk: boolean;
  /** True if the tab key reaches its button. */
  isActive: boolean;
}

export function Picture({ row, maySee, mayAsk, isActive }: PictureProps) {
  const { id, name, screenshot, orientation, timezone } = row;
  const request = usePictureRequest(id);
  const visiblePicture = maySee ? screenshot : null;
  return (
    <div
      className="screen-picture center relative crop glass wide-picture"
      data-upright={orientation === "portrait" || orientation === "portrait-flipped"}
    >
      {visiblePicture === null ? (
        <span className="screen-no-picture stack middle gap-1 pad-2 tiny text-center">
          <Icon name="screens" />
          <span>{text("noPicture")}</span>
        </span>
      ) : (
        <Shot key={visiblePicture.id} id={visiblePicture.id} name={name} />
      )}
      <span className="screen-picture-foot flex end tiny">
        <span role="status" className="screen-asked" data-kind={request?.is}>
          {request === undefined
            ? null
            : request.is === "failed"
              ? text("askedFailed", { reason: request.reason })
              : text(request.is === "sent" ? "askedSent" : "askedTaking")}
        </span>
        {request === undefined && visiblePicture !== null ? (
          <span className="screen-picture-age">
            <Age time={visiblePicture.captured_at} timeZone={timezone} />
          </span>
        ) : null}
      </span>
      {mayAsk ? (
        <AriaButton
          className="screen-ask center pointer"
          aria-label={text("askPicture", { name })}
          excludeFromTabOrder={!isActive}
          isDisabled={request !== undefined && request.is !== "failed"}
          onPress={() => void requestPicture(id)}
        >
          <Icon name="camera" />
        </AriaButton>
      ) : null}
    </div>
  );
}

function Shot({ id, name }: { id: string; name: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <span className="screen-no-picture stack middle gap-1 pad-2 tiny text-center">{text("pictureFailed")}</span>;
  return (
    <img
      src={fileUrl(`/api/v1/screenshots/${id}/image`)}
      alt={text("pictureOf", { name })}
      loading="lazy"
      decoding="async"
      onError={() => setIsBroken(true)}
    />
  );
}

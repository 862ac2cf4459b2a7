// The picture of the screen: live while somebody watches, otherwise the last one with its age.
import { useQuery } from "@tanstack/react-query";
import { fileUrl } from "../../../data/client.ts";
import { useMay } from "../../../data/session.ts";
import { formatAge } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useNow } from "../../../ui/now.ts";
import { isEnded, useCommand } from "../commands/use-command.ts";
import { newestPictureQuery, useTimeZone, type PlayerDetails } from "../data.ts";
import { useLive } from "./use-live.ts";

const text = texts("screen");

export function PictureCard({ player }: { player: PlayerDetails }) {
  const { id, name, status } = player;
  const mayLook = useMay("screenshots:read");
  const { data: picture } = useQuery({ ...newestPictureQuery(id), enabled: mayLook });
  const timeZone = useTimeZone(id);
  const live = useLive(id);
  const now = useNow();
  const mayCommand = useMay("commands:write") && mayLook;
  const shot = useCommand(id);
  const isTaking = shot.isSending || (shot.command !== null && !isEnded(shot.command));
  const failure = shot.failure;
  const isLive = live.state.is === "live" || live.state.is === "connecting";
  const hasPicture = picture !== undefined && picture !== null;
  // Without the age, which would be read aloud whenever it changes.
  const words = isTaking
    ? text("takingPicture")
    : live.state.is === "ended"
      ? text("liveEnded", { reason: live.state.reason })
      : failure === null
        ? null
        : text("pictureFailed", { reason: failure });
  return (
    <section className="card picture-card" aria-labelledby="picture-title">
      <h2 id="picture-title" className="visually-hidden">
        {text("picture")}
      </h2>
      <div className="screen-glass center relative crop rounded glass wide-picture" data-shape={shapeOf(player)}>
        {isLive ? <canvas ref={live.canvas} role="img" aria-label={text("liveAlt", { name })} /> : null}
        {isLive || !hasPicture ? null : (
          <img
            src={fileUrl(`/api/v1/screenshots/${picture.id}/image`)}
            alt={text("pictureAlt", { name, age: formatAge(new Date(picture.captured_at), now) })}
          />
        )}
        {!isLive && !hasPicture ? <p className="glass-text">{text("noPicture")}</p> : null}
        {live.state.is === "connecting" ? <p className="glass-text">{text("connecting")}</p> : null}
        {live.state.is === "live" ? <span className="live-badge round small bold">{text("live")}</span> : null}
      </div>
      <div className="picture-foot cluster between gap-2">
        <div className="faint">
          <p role="status">{words}</p>
          {words === null && !isLive && hasPicture ? (
            <p>{text.rich("taken", { age: <Age key="age" time={picture.captured_at} timeZone={timeZone} /> })}</p>
          ) : null}
        </div>
        {mayCommand ? (
          <div className="card-tools wrap gap-2">
            <Button size="small" isPending={isTaking} isDisabled={status === "offline"} onPress={() => shot.send({ type: "screenshot" })}>
              <Icon name="camera" /> {text("takePicture")}
            </Button>
            {isLive ? (
              <Button size="small" kind="primary" onPress={live.stop}>
                <Icon name="stop" /> {text("stop")}
              </Button>
            ) : (
              <Button size="small" kind="primary" isDisabled={status === "offline"} onPress={live.start}>
                <Icon name="eye" /> {text(live.state.is === "ended" ? "watchAgain" : "watch")}
              </Button>
            )}
          </div>
        ) : null}
      </div>
      {status === "offline" ? <p className="faint">{text("offlineNoLive")}</p> : null}
    </section>
  );
}

/** Tells from the settings if the display is higher than wide, before any picture of it is there. */
function shapeOf({ resolution, orientation }: PlayerDetails): "wide" | "high" {
  const isTurned = orientation.startsWith("portrait");
  const isWide = resolution === null || resolution.width >= resolution.height;
  return isWide === isTurned ? "high" : "wide";
}

// The dialog that any page can ask for. Its parts are loaded when it is asked for the first time.
import { lazy } from "react";
import { requestShow, useShowRequest } from "../../data/show-request.ts";

const ShowDialog = lazy(async () => ({ default: (await import("./show-dialog.tsx")).ShowDialog }));

export function ShowCorner() {
  const request = useShowRequest();
  if (request === null) return null;
  const { asset, players = [], tags = [] } = request;
  return (
    <ShowDialog
      onClose={() => requestShow(null)}
      target={{ players: [...players], tags: [...tags] }}
      {...(asset === undefined ? {} : { asset })}
    />
  );
}

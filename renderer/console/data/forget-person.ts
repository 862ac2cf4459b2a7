// What a person has begun in the console, and whoever signs in next must not find.
import { forgetPictureRequests } from "./picture-requests.ts";
import { setActiveDraft } from "./drafts/place.ts";
import { forgetEdits } from "./unsaved-edits.ts";
import { clearSelection } from "./selection.ts";
import { requestShow } from "./show-request.ts";

/** Forgets it. What was read is forgotten with the session itself, and uploads with their corner of the page. */
export function forgetPerson(): void {
  clearSelection();
  requestShow(null);
  forgetPictureRequests();
  forgetEdits();
  setActiveDraft(null);
}

// Removes the work that a person has begun in the console: the next person to sign in must not find it.
import { forgetPictureRequests } from "./picture-requests.ts";
import { setActiveDraft } from "./drafts/place.ts";
import { forgetEdits } from "./unsaved-edits.ts";
import { clearSelection } from "./selection.ts";
import { requestShow } from "./show-request.ts";

/** Forgets it. Answers in the cache are forgotten with the session itself, and uploads with their corner of the page. */
export function forgetPerson(): void {
  clearSelection();
  requestShow(null);
  forgetPictureRequests();
  forgetEdits();
  setActiveDraft(null);
}

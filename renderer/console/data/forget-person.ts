// What a person has begun in the console, and whoever signs in next must not find.
import { forgetAskedPictures } from "./asked-pictures.ts";
import { setActiveDraft } from "./drafts/place.ts";
import { forgetEdits } from "./kept-edits.ts";
import { clearSelection } from "./selection.ts";
import { requestShow } from "./show-request.ts";

/** Forgets it. What was read is forgotten with the session itself, and uploads with their corner of the page. */
export function forgetPerson(): void {
  clearSelection();
  requestShow(null);
  forgetAskedPictures();
  forgetEdits();
  setActiveDraft(null);
}

import { unifiedPatch } from '../../platform/text/diff.js';
import { showPlaces } from './match/show-place.js';
import { originalText } from './patch/structured-patch.js';
import type { SettledPlan } from './plan-change.js';

/** What a change to a file did, for the model and for the user. */
export interface EditReport {
  path: string;
  /** The absolute path. */
  file: string;
  /** The earlier text; null if it is very long. */
  original: string | null;
  replacements: number;
  /** A short summary: "1 replacement at line 3". */
  done: string;
  summary: string;
  patch: string;
  /** The edited places with context lines. */
  place: string;
}

export function reportEdit({ target, before, changed }: SettledPlan, notes: readonly string[]): EditReport {
  // Keeping the file's typographic quotes may have undone the edit.
  const isSame = changed.bytes.equals(before.bytes);
  const did = isSame
    ? `${target.shown} reads so already, so nothing was written.`
    : `Edited ${target.shown}: ${changed.done}.`;
  return {
    path: target.shown,
    file: target.path,
    original: originalText(before.text),
    replacements: changed.replacements,
    done: changed.done,
    summary: [did, ...changed.notes, ...notes].join(' '),
    patch: unifiedPatch(target.shown, before.text, changed.text.raw),
    place: showPlaces(changed.text, changed.places),
  };
}

// One line of a session's list of changes.
import * as z from 'zod';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const recordedOther = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder'), mode: z.number() }),
  /** An entry whose content is not kept; `id` stays the same until the file is written. */
  z.object({ kind: z.literal('unkept'), id: z.string(), why: z.string() }),
]);

export type RecordedOther = z.output<typeof recordedOther>;

/** One changed file in a session's list. */
const recordedFile = z.object({
  real: z.string(),
  /** SHA-256 of the before-image; null if there was no file. */
  before: hash.nullable(),
  /** SHA-256 of the new content; null if the file was removed. */
  after: hash.nullable(),
  /** Mode and owner of the file before the change, or those given to a new file. */
  mode: z.number().optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** The new mode, if it has changed. */
  modeAfter: z.number().optional(),
  /** Folders that were created for it, outermost first. */
  folders: z.array(z.string()).optional(),
  /** The states before and after, if they are not regular files with a saved content; the hash beside them is null. */
  otherBefore: recordedOther.optional(),
  otherAfter: recordedOther.optional(),
  /** Why there is no before-image, if none was saved. */
  uncopied: z.string().optional(),
});

export type RecordedFile = z.output<typeof recordedFile>;

/** The files that were changed together. */
export const recordedChange = z.object({
  change: z.string(),
  callId: z.string(),
  at: z.iso.datetime(),
  files: z.array(recordedFile),
  /** The change was detected by comparing snapshots around a command; lists what is uncertain about it. */
  seen: z
    .object({
      /** Why nothing is known. */
      notCovered: z.string().optional(),
      /** Paths that were not scanned, or that another session may have changed. */
      notes: z.array(z.string()).optional(),
      /** Paths that changed while commands of other sessions ran too, so that the author is unknown: not undone. */
      unclaimed: z.array(z.string()).optional(),
      /** The same as changes: undone only if a person forces it. */
      unclaimedFiles: z.array(recordedFile).optional(),
    })
    .optional(),
  /** The change before which it was made, if it was detected later. */
  earlierThan: z.string().optional(),
  /** The calls that it has undone, completely. */
  undoes: z.array(z.string()).optional(),
});

export type RecordedChange = z.output<typeof recordedChange>;

/** The paths that it changed or may have changed, real paths. */
export const touchedBy = ({ files, seen }: RecordedChange): string[] => [
  ...files.map(({ real }) => real),
  ...(seen?.unclaimed ?? []),
];

/** The hashes of the before-images that undo needs for it. */
export const neededBeforeImages = ({ files, seen }: RecordedChange): string[] =>
  [...files, ...(seen?.unclaimedFiles ?? [])].map(({ before }) => before ?? '');

// One line of a session's list of changes.
import * as z from 'zod';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const recordedOther = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder'), mode: z.number() }),
  /** A file whose content is not kept; `id` is the same as long as the file was not written. */
  z.object({ kind: z.literal('unkept'), id: z.string(), why: z.string() }),
]);

export type RecordedOther = z.output<typeof recordedOther>;

/** One change of a file, as a session's list has it. */
const recordedFile = z.object({
  real: z.string(),
  /** SHA-256 of what it held, under which that is kept; null where there was no file. */
  before: hash.nullable(),
  /** SHA-256 of what it holds since; null where it was removed. */
  after: hash.nullable(),
  /** Mode and owner of the file that was changed, or that a new one was given. */
  mode: z.number().optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** The mode since, where it is another one. */
  modeAfter: z.number().optional(),
  /** Folders that were made for it, from the outermost. */
  folders: z.array(z.string()).optional(),
  /** What was there and is there since, where that is not a file whose content is kept; the hash beside it is null. */
  otherBefore: recordedOther.optional(),
  otherAfter: recordedOther.optional(),
  /** Why there is no copy under `before`, where none was made. */
  uncopied: z.string().optional(),
});

export type RecordedFile = z.output<typeof recordedFile>;

/** What was changed together, all of it. */
export const recordedChange = z.object({
  change: z.string(),
  callId: z.string(),
  at: z.iso.datetime(),
  files: z.array(recordedFile),
  /** That it was found by looking at the workspace before and after a command, and then what can't be said of it. */
  seen: z
    .object({
      /** Why nothing is known. */
      notCovered: z.string().optional(),
      /** What was not looked at, or may be another session's. */
      notes: z.array(z.string()).optional(),
      /** What changed while commands of other sessions ran too, so that it is not known which of them did it: not undone. */
      unclaimed: z.array(z.string()).optional(),
      /** The same as changes: undone only where a person insists. */
      unclaimedFiles: z.array(recordedFile).optional(),
    })
    .optional(),
  /** The change before which it was made, where it was found out only afterwards. */
  earlierThan: z.string().optional(),
  /** The calls that were taken back by it, all of them. */
  undoes: z.array(z.string()).optional(),
});

export type RecordedChange = z.output<typeof recordedChange>;

/** What it changed, and what may have been changed by it, by real path. */
export const touchedBy = ({ files, seen }: RecordedChange): string[] => [
  ...files.map(({ real }) => real),
  ...(seen?.unclaimed ?? []),
];

/** What its files held before, by hash: the copies that undo needs of it. */
export const neededBeforeImages = ({ files, seen }: RecordedChange): string[] =>
  [...files, ...(seen?.unclaimedFiles ?? [])].map(({ before }) => before ?? '');

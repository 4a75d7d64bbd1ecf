import { lstat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import type { Effect } from '../contract/effect.js';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { fileIdentity } from '../platform/files/paths.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { counted } from './counted.js';
import { applyHunks, type PatchedText } from './editing/apply-hunks.js';
import { changeTogether, creating, removing, replacing, type Step } from './editing/change-together.js';
import { checkDeletable, seenOf } from './editing/check-editable.js';
import { checkPlace } from './editing/check-place.js';
import type { LineRange } from './editing/line-ranges.js';
import { hashOf, loadText } from './editing/load-text.js';
import { type FilePatch, parsePatch } from './editing/patch-format.js';
import { showPlaces } from './editing/show-place.js';
import { type TextLines, textLines } from './editing/text-lines.js';
import { changeEffects } from './file-effect.js';
import { withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Change files by a patch: edit, add, delete and move, several places and files at once. Answers with the differences and the edited places.
Use it for changes of files that you have read, above all for several that belong together: either all of them happen or none. Use Bash for what is no text.
The patch is not a unified diff. It looks like this:
*** Begin Patch
*** Update File: src/app.py
@@ class App:
     def start(self):
-        print("Hi")
+        print("Hello")
         self.run()
*** Add File: src/new.py
+print("new")
*** Delete File: src/old.py
*** Update File: src/a.py
*** Move to: src/b.py
*** End Patch
A line that begins with a blank stays, with - goes, with + comes. Lines that stay or go must be in the file exactly, as whole lines, and only once: give three lines of context above and below, and where that is not enough an @@ line, a whole line of the file that the place is below. Without lines that stay or go, lines are added below the @@ line, or at the end of the file. *** End of File behind a change says that it is at the end. All lines are looked for in the file as it is before the patch. Leave out the line numbers that Read shows.
Line endings and encoding stay as they are. It refuses to update or delete files that were not read or whose text changed in the place, to add a file that exists, and to name a file twice.`;

const input = withAliases(
  { patch: 'input' },
  z.strictObject({ input: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch"') }),
);

type PatchInput = z.output<typeof input>;

interface PatchData {
  files: Array<{
    type: FilePatch['type'];
    path: string;
    movedTo?: string;
    summary: string;
    patch: string;
    /** The edited places, for the model. */
    places: string;
  }>;
}

export const applyPatchTool = defineTool<PatchInput, PatchData>({
  name: 'apply_patch',
  description,
  input,

  isEnabled: ({ editStyle }) => editStyle === 'patch',

  // A patch that can't be read names no files, so there is nothing to judge it by: the refusal comes from here.
  async effects({ input: text }, context) {
    const effects = await Promise.all(
      parsePatch(text)
        .flatMap(pathsOf)
        .map((path) => changeEffects(path, context)),
    );
    return withoutTwins(effects.flat());
  },

  async validate({ input: text }, context) {
    await plan(text, context);
    return undefined;
  },

  // Everything is read and matched again here, before the first file is written: somebody may have been asked.
  async execute({ input: text }, context) {
    const changes = await plan(text, context);
    const steps = await Promise.all(changes.map(stepsOf));
    context.signal.throwIfAborted(); // from here on to the end, since half a patch helps nobody
    // What is removed goes last, so that there is little to bring back when something fails.
    await changeTogether([...steps.flatMap(({ writes }) => writes), ...steps.flatMap(({ removals }) => removals)]);
    for (const change of changes) note(change, context);
    return { files: changes.map(describe) };
  },

  toModel({ files }) {
    const summaries = files.map(({ summary }) => summary).join('\n');
    // Whoever adds or deletes a file knows what was in it.
    const edited = files.filter(({ type, patch }) => type === 'update' && patch !== '');
    const places = edited.map((file) => (edited.length > 1 ? `${shownName(file)}: ${file.places}` : file.places));
    return [summaries, ...edited.map(({ patch }) => patch), ...places].join('\n\n');
  },

  displayCall: ({ input: text = '' }) => ({ title: namesIn(text).join(', ') }),
  displayResult: ({ files }) => ({
    title: `${files.map(shownName).join(', ')}: ${counted(files.length, 'file')} changed`,
    body: {
      type: 'diff',
      path: files.map(shownName).join(', '),
      patch: files.flatMap(({ patch }) => (patch === '' ? [] : [patch])).join('\n'),
    },
  }),
  displayRefusal: ({ input: text }) => ({
    title: namesIn(text).join(', '),
    body: { type: 'diff', path: namesIn(text).join(', '), patch: text },
  }),
});

const pathsOf = (file: FilePatch): string[] =>
  file.type === 'update' && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path];

const withoutTwins = (effects: readonly Effect[]): Effect[] => [
  ...new Map(effects.map((effect) => [JSON.stringify(effect), effect])).values(),
];

/** The files that a patch names, also one that is still arriving. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name = '']) => name.trim());

const shownName = ({ path, movedTo }: PatchData['files'][number]): string => movedTo ?? path;

/** What is to become of one file, with all that is needed to do it. */
type PlannedChange =
  | { type: 'add'; target: TargetFile; text: TextLines; bytes: Buffer }
  | { type: 'delete'; target: TargetFile; text: TextLines; bytes: Buffer }
  | { type: 'update'; target: TargetFile; moveTo?: TargetFile; before: Buffer; old: string; fresh: PatchedText };

/** All that can be wrong with a patch, so that the check before and the work itself can't judge differently. */
async function plan(text: string, context: ToolContext): Promise<PlannedChange[]> {
  if (!text.isWellFormed()) {
    throw refusal(
      'The patch holds half of a surrogate pair, which is no character. Nothing was written. Send whole characters.',
    );
  }
  const files = parsePatch(text);
  await refuseTwins(files.flatMap(pathsOf), context);
  const changes: PlannedChange[] = [];
  for (const file of files) {
    await setImmediate(); // a patch of many files must not keep a cancel waiting
    context.signal.throwIfAborted();
    changes.push(await planFile(file, context));
  }
  return changes;
}

async function refuseTwins(paths: readonly string[], context: ToolContext): Promise<void> {
  const named = new Set<string>();
  for (const path of paths) {
    const { real, shown } = await locate(path, context);
    if (named.has(real)) {
      throw refusal(
        `The patch names ${shown} twice, so there is no telling what shall become of it. Nothing was written. Put all its changes below one line "*** Update File: ${path}".`,
      );
    }
    named.add(real);
  }
}

async function planFile(file: FilePatch, context: ToolContext): Promise<PlannedChange> {
  const { ledger } = context.session;
  const target = await locate(file.path, context);
  if (file.type === 'add') {
    await checkFree(target, context, `Use "*** Update File: ${file.path}" to change it.`);
    const text = file.lines.map((line) => `${line}\n`).join('');
    return { type: 'add', target, text: textLines(text), bytes: Buffer.from(text) };
  }
  if (file.type === 'delete') {
    await refuseLink(target, 'deleted');
    const { bytes, ...loaded } = await loadText(target, context);
    checkDeletable(ledger, target, { bytes, ...loaded });
    return { type: 'delete', target, text: textLines(loaded.text), bytes };
  }
  const moveTo = file.moveTo === undefined ? undefined : await locate(file.moveTo, context);
  if (moveTo) {
    await refuseLink(target, 'moved');
    await checkFree(moveTo, context, 'Choose another name, or delete that file first.');
  }
  const loaded = await loadText(target, context);
  const fresh = await applyHunks(target, loaded, seenOf(ledger, target, 'patch'), file.hunks, context.signal);
  if (!moveTo && fresh.bytes.equals(loaded.bytes)) {
    throw refusal(`The patch leaves ${target.shown} as it is, so there is nothing to do. Nothing was written.`);
  }
  return { type: 'update', target, ...(moveTo && { moveTo }), before: loaded.bytes, old: loaded.text, fresh };
}

async function checkFree(target: TargetFile, context: ToolContext, next: string): Promise<void> {
  if ((await fileIdentity(target.real)) !== undefined) {
    throw refusal(`${target.shown} exists already, so no new file can be put there. Nothing was written. ${next}`);
  }
  await checkPlace(target, context);
}

/** Which of the two would be meant, the link or the file behind it? */
async function refuseLink({ path, shown }: TargetFile, what: 'deleted' | 'moved'): Promise<void> {
  const stats = await lstat(path).catch(() => undefined); // what is missing is told when it is opened
  if (!stats?.isSymbolicLink()) return;
  throw refusal(
    `${shown} is a link, so it was not ${what}: the file behind it would be lost or the link lead nowhere. Nothing was written. Name the file itself, or use Bash.`,
  );
}

async function stepsOf(change: PlannedChange): Promise<{ writes: Step[]; removals: Step[] }> {
  const { target } = change;
  if (change.type === 'add') return { writes: await creating(target, change.bytes), removals: [] };
  if (change.type === 'delete') return { writes: [], removals: [await removing(target, change.bytes)] };
  const { moveTo, before, fresh } = change;
  if (!moveTo) return { writes: [replacing(target, fresh.bytes, before)], removals: [] };
  return { writes: await creating(moveTo, fresh.bytes, target), removals: [await removing(target, before)] };
}

// Of a file that is gone the ledger keeps what was seen: one that comes in its place will have changed.
function note(change: PlannedChange, { session: { ledger } }: ToolContext): void {
  const seen = (bytes: Buffer, lines: SeenFile['lines']): SeenFile => ({
    hash: hashOf(bytes),
    size: bytes.length,
    at: new Date(),
    lines,
  });
  if (change.type === 'add') ledger.set(change.target.real, seen(change.bytes, 'all'));
  if (change.type === 'update') {
    ledger.set((change.moveTo ?? change.target).real, seen(change.fresh.bytes, change.fresh.lines));
  }
}

function describe(change: PlannedChange): PatchData['files'][number] {
  const { type, target } = change;
  const path = target.shown;
  if (type === 'add' || type === 'delete') {
    const { raw, lineCount } = change.text;
    const [summary, patch] =
      type === 'add'
        ? [`Created ${path}`, unifiedPatch(path, '', raw)]
        : [`Deleted ${path}`, unifiedPatch(path, raw, '')];
    return { type, path, summary: `${summary} (${counted(lineCount, 'line')}).`, patch, places: '' };
  }
  const movedTo = change.moveTo?.shown;
  const { text, places } = change.fresh;
  const patch = unifiedPatch(movedTo ?? path, change.old, text.raw);
  const edited = places.length > 0 ? showPlaces(text, places) : '';
  return { type, path, ...(movedTo && { movedTo }), summary: summarize(change), patch, places: edited };
}

function summarize({ target, moveTo, fresh }: Extract<PlannedChange, { type: 'update' }>): string {
  const where =
    fresh.places.length > 0 ? `: ${counted(fresh.places.length, 'place')} at ${placeList(fresh.places)}` : '';
  const what = moveTo ? `Moved ${target.shown} to ${moveTo.shown}` : `Edited ${target.shown}`;
  const sentences = [`${what}${where}.`];
  if (fresh.byQuotes) {
    sentences.push('Lines matched after quote normalisation; the quotes in the file were kept.');
  }
  if (fresh.changed) {
    sentences.push(
      'The file had changed on disk since you read it; the patch was applied to the new content and the other changes were kept. Read it again before you rely on the rest of it.',
    );
  }
  return sentences.join(' ');
}

function placeList(places: readonly LineRange[]): string {
  const listed = places.slice(0, 20).map(([first]) => first);
  const more = places.length - listed.length;
  return `${places.length === 1 ? 'line' : 'lines'} ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

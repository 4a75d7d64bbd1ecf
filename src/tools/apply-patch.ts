import { lstat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import type { Effect } from '../contract/effect.js';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { fileIdentity, isInside, shortPath } from '../platform/files/paths.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { countLines } from '../platform/text/line-endings.js';
import { counted } from './counted.js';
import { applyHunks } from './editing/apply-hunks.js';
import { changeFiles, type PlannedChange } from './editing/change-files.js';
import { checkDeletable } from './editing/check-editable.js';
import { checkPlace } from './editing/check-place.js';
import type { ChangedText } from './editing/edit-text.js';
import { type LoadedText, loadText } from './editing/load-text.js';
import { type FilePatch, parsePatch } from './editing/patch-format.js';
import { countingRefusals, type FilePlan, planChange, questionAbout, settled, textsOf } from './editing/plan-change.js';
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
    return questionAbout((await plan(text, context)).flatMap(newTexts));
  },

  // Everything is read and matched again here, before the first file is written: somebody may have been asked.
  async execute({ input: text }, context) {
    const look = async (): Promise<SettledChange[]> => {
      const changes: SettledChange[] = [];
      for (const change of await plan(text, context)) {
        changes.push(change.type === 'update' ? { ...change, file: await settled(change.file, context) } : change);
      }
      return changes;
    };
    const { plan: done, notes } = await changeFiles(context, look, (changes) => changes.flatMap(asPlanned));
    return { files: done.map((change, index) => describe(change, index === done.length - 1 ? notes.flat() : [])) };
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
type FileChange<File = FilePlan> =
  | { type: 'add'; target: TargetFile; text: TextLines; bytes: Buffer }
  | { type: 'delete'; target: TargetFile; before: LoadedText }
  | { type: 'update'; target: TargetFile; moveTo?: TargetFile; file: File };

type SettledChange = FileChange<FilePlan & { changed: ChangedText }>;

function newTexts(change: FileChange): Parameters<typeof questionAbout>[0] {
  if (change.type === 'delete') return [];
  if (change.type === 'update') return [textsOf(change.file)];
  return [{ target: change.target, after: change.text.raw }];
}

/** All that can be wrong with a patch, so that the check before and the work itself can't judge differently. */
async function plan(text: string, context: ToolContext): Promise<FileChange[]> {
  if (!text.isWellFormed()) {
    throw refusal(
      'The patch holds half of a surrogate pair, which is no character. Nothing was written. Send whole characters.',
    );
  }
  const files = parsePatch(text);
  await refuseTwins(files.flatMap(pathsOf), context);
  const changes: FileChange[] = [];
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
  for (const folder of named) {
    const inside = [...named].find((real) => real !== folder && isInside(folder, real));
    if (inside === undefined) continue;
    throw refusal(
      `The patch has a file at ${shortPath(context.cwd, folder)} and another below it, at ${shortPath(context.cwd, inside)}, and a place can't be both a file and a folder. Nothing was written. Choose another path for one of them.`,
    );
  }
}

async function planFile(file: FilePatch, context: ToolContext): Promise<FileChange> {
  const { ledger } = context.session;
  const target = await locate(file.path, context);
  if (file.type === 'add') {
    await checkFree(target, context, `Use "*** Update File: ${file.path}" to change it.`);
    const text = file.lines.map((line) => `${line}\n`).join('');
    return { type: 'add', target, text: textLines(text), bytes: Buffer.from(text) };
  }
  if (file.type === 'delete') {
    await refuseLink(target, 'deleted');
    const before = await loadText(target, context);
    checkDeletable(ledger, target, before);
    return { type: 'delete', target, before };
  }
  const moveTo = file.moveTo === undefined ? undefined : await locate(file.moveTo, context);
  if (moveTo) {
    await refuseLink(target, 'moved');
    await checkFree(moveTo, context, 'Choose another name, or delete that file first.');
  }
  const { signal } = context;
  const make = async (loaded: LoadedText, seen: SeenFile): Promise<ChangedText> =>
    await applyHunks(target, loaded, seen, file.hunks, signal);
  const change = { action: 'patch', name: 'the patch', make, makeBlind: make } as const;
  const planned = await countingRefusals(target, file, context, () => planChange(target, change, context));
  if (!moveTo && planned.changed?.bytes.equals(planned.before.bytes)) {
    throw refusal(`The patch leaves ${target.shown} as it is, so there is nothing to do. Nothing was written.`);
  }
  return { type: 'update', target, ...(moveTo && { moveTo }), file: planned };
}

async function checkFree(target: TargetFile, context: ToolContext, next: string): Promise<void> {
  if (fileIdentity(target.real) !== undefined) {
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

function asPlanned(change: SettledChange): PlannedChange[] {
  const { target } = change;
  if (change.type === 'add') return [{ target, before: undefined, after: change.bytes, lines: 'all' }];
  if (change.type === 'delete') return [{ target, before: change.before, after: null, lines: [] }];
  const { moveTo, file } = change;
  const { before, changed } = file;
  const written = { after: changed.bytes, lines: changed.lines, merged: changed.merged };
  if (!moveTo) return [{ target, before, ...written }];
  return [
    { target: moveTo, before: undefined, ...written, movedFrom: target },
    { target, before, after: null, lines: [] },
  ];
}

function describe(change: SettledChange, notes: readonly string[]): PatchData['files'][number] {
  const { type, target } = change;
  const path = target.shown;
  const ending = notes.map((note) => ` ${note}`).join('');
  if (type === 'add') {
    const { raw, lineCount } = change.text;
    const summary = `Created ${path} (${counted(lineCount, 'line')}).${ending}`;
    return { type, path, summary, patch: unifiedPatch(path, '', raw), places: '' };
  }
  if (type === 'delete') {
    const { text } = change.before;
    const summary = `Deleted ${path} (${counted(countLines(text), 'line')}).${ending}`;
    return { type, path, summary, patch: unifiedPatch(path, text, ''), places: '' };
  }
  const { before, changed } = change.file;
  const movedTo = change.moveTo?.shown;
  const what = movedTo === undefined ? `Edited ${path}` : `Moved ${path} to ${movedTo}`;
  const where = changed.places.length > 0 ? `: ${changed.done}` : '';
  return {
    type,
    path,
    ...(movedTo && { movedTo }),
    summary: [`${what}${where}.`, ...changed.notes, ...notes].join(' '),
    patch: unifiedPatch(movedTo ?? path, before.text, changed.text.raw),
    places: changed.places.length > 0 ? showPlaces(changed.text, changed.places) : '',
  };
}

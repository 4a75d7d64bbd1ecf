import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { countLines } from '../platform/text/line-endings.js';
import { changeFiles, type PlannedChange } from './editing/commit-changes.js';
import { showPlaces } from './editing/match/show-place.js';
import { type FilePatch, parsePatch } from './editing/patch/patch-format.js';
import { type PatchChange, pathsOf, planPatch } from './editing/patch/plan-patch.js';
import { questionAbout, type SettledPlan, settled, textsOf } from './editing/plan-change.js';
import { effectsOfChanges } from './file-effect.js';
import { withAliases } from './input.js';

const description = `Change files by a patch: edit, add, delete and move, several places and files at once. Answers with the differences and the edited places.
Use it for changes of files that you have read, above all for several that belong together: either all of them happen or none. Use Bash for binary files.
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
A line that begins with a blank stays, with - goes, with + comes. Lines that stay or go must be in the file exactly, as whole lines, and only once (blanks around them and look-alike characters are forgiven in a single place): give three lines of context above and below, and where that is not enough an @@ line, a whole line of the file that the place is below. Without lines that stay or go, lines are added below the @@ line, or at the end of the file. *** End of File behind a change says that it is at the end. All lines are looked for in the file as it is before the patch. Leave out the line numbers that Read shows.
Line endings and encoding stay as they are. It refuses to update files that were not read or whose text changed in the place, and to delete, add over or move over a file that was not read whole.`;

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
  title: 'Patch',
  about: 'Changes, adds, moves and deletes files by a patch.',
  traits: { family: 'edit', worksAs: ['Edit', 'Write', 'MultiEdit'], editStyle: 'patch' },
  description,
  input,

  isEnabled: ({ editStyle }) => editStyle === 'patch',

  // An invalid patch names no files, so there are no effects to judge: it is refused here.
  async effects({ input: text }, context) {
    return await effectsOfChanges(parsePatch(text).flatMap(pathsOf), context);
  },

  async validate({ input: text }, context) {
    return questionAbout((await planPatch(text, context)).flatMap(newTexts));
  },

  // Reads and matches everything again before the first write: the user may have taken time to answer a question.
  async execute({ input: text }, context) {
    const look = async (): Promise<SettledChange[]> => {
      const changes: SettledChange[] = [];
      for (const change of await planPatch(text, context)) {
        changes.push(change.type === 'update' ? { ...change, file: await settled(change.file, context) } : change);
      }
      return changes;
    };
    const { plan: done, notes } = await changeFiles(context, look, (changes) => changes.flatMap(asPlanned));
    return { files: done.map((change, index) => describe(change, index === done.length - 1 ? notes.flat() : [])) };
  },

  toModel({ files }) {
    const summaries = files.map(({ summary }) => summary).join('\n');
    // The model already knows the content of files that it adds or deletes.
    const edited = files.filter(({ type, patch }) => type === 'update' && patch !== '');
    const places = edited.map((file) => (edited.length > 1 ? `${shownName(file)}: ${file.places}` : file.places));
    return [summaries, ...edited.map(({ patch }) => patch), ...places].join('\n\n');
  },

  displayCall: ({ input: text = '' }) => ({ title: namesIn(text).join(', ') }),
  displayResult: ({ files }) => ({
    title: files.map(({ path }) => path).join(', '),
    facts: files.flatMap(factsOf),
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

/** The files that a patch names, even if it is still streaming. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name = '']) => name.trim());

function factsOf({ type, movedTo }: PatchData['files'][number], _: number, files: PatchData['files']): string[] {
  if (files.length > 1) return [];
  if (movedTo !== undefined) return [`moved to ${movedTo}`];
  return type === 'update' ? [] : [type === 'add' ? 'created' : 'deleted'];
}

const shownName = ({ path, movedTo }: PatchData['files'][number]): string => movedTo ?? path;

type SettledChange = PatchChange<SettledPlan>;

function newTexts(change: PatchChange): Parameters<typeof questionAbout>[0] {
  if (change.type === 'delete') return [];
  if (change.type === 'update') return [textsOf(change.file)];
  return [{ target: change.target, after: change.text.raw }];
}

function asPlanned(change: SettledChange): PlannedChange[] {
  const { target } = change;
  if (change.type === 'add') return [{ target, before: undefined, changed: { bytes: change.bytes, lines: 'all' } }];
  if (change.type === 'delete') return [{ target, before: change.before, changed: null }];
  const { moveTo, file } = change;
  if (!moveTo) return [file];
  return [
    { target: moveTo, before: moveTo.before, changed: file.changed, movedFrom: target },
    { target, before: file.before, changed: null },
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

import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { fileIdentity } from '../platform/files/paths.js';
import { counted } from '../platform/text/counted.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { wholePatch } from '../platform/text/whole-patch.js';
import { checkSeenWhole } from './editing/check-editable.js';
import { checkPlace } from './editing/check-place.js';
import { changeFiles } from './editing/commit-changes.js';
import type { FilePlan } from './editing/fit-to-disk.js';
import type { LoadedText } from './editing/load-text.js';
import type { ChangedText } from './editing/match/edit-text.js';
import { elidedCode } from './editing/match/elided-code.js';
import { hunksOf, originalText } from './editing/patch/structured-patch.js';
import { checkOf, diffOf, planChange, settled, textsOf } from './editing/plan-change.js';
import { replacement, wholeText } from './editing/whole-text.js';
import { changeEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Write a whole file: a new one, folders included, or one that you have read whole. For small changes use Edit.
An existing file keeps its mode, encoding and line endings (line_endings converts them); what others changed in it since is merged, or refused.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText,
    content: z.string(),
    line_endings: z
      .enum(['keep', 'lf', 'crlf'])
      .optional()
      .describe('Default keep; lf or crlf converts the whole file'),
  }),
);

type WriteInput = z.output<typeof input>;

interface WriteData {
  type: 'created' | 'updated' | 'unchanged';
  path: string;
  /** The absolute path. */
  file: string;
  /** The earlier text; null if there was none, or if it is very long. */
  original: string | null;
  lines: number;
  patch: string;
  notes: string[];
}

export const writeTool = defineTool<WriteInput, WriteData>({
  name: 'Write',
  about: 'Writes a whole file, new or existing.',
  traits: {
    family: 'edit',
    subject: ['file_path'],
    fields: ['file_path', 'content'],
    bareRule: 'commands',
    olderNames: ['Replace'],
  },
  description,
  input,

  effects: ({ file_path }, context) => changeEffects(file_path, context),

  async validate(write, context) {
    const { target, content, replacing } = await plan(write, context);
    return checkOf([replacing ? textsOf(replacing) : { target, after: content }]);
  },

  // Reads the file again: since the check, the user may have taken time to answer a question.
  async execute(write, context) {
    const look = async () => {
      const { target, content, replacing } = await plan(write, context);
      if (replacing) return await settled(replacing, context);
      return { target, before: undefined, changed: newText(content, notesOnNew(target, context)) };
    };
    const { plan: done, notes } = await changeFiles(context, look, (settledWrite) => [settledWrite]);
    const { target, before, changed } = done;
    return {
      type: !before ? 'created' : changed.bytes.equals(before.bytes) ? 'unchanged' : 'updated',
      path: target.shown,
      file: target.path,
      original: before ? originalText(before.text) : null,
      lines: changed.text.lineCount,
      patch: before ? unifiedPatch(target.shown, before.text, changed.text.raw) : '',
      notes: [...changed.notes, ...notes.flat(), ...elidedCode(before?.text ?? '', write.content, 'content')],
    };
  },

  toModel({ type, path, lines, patch, notes }) {
    const size = counted(lines, 'line');
    const said = notes.map((note) => ` ${note}`).join('');
    if (type === 'created') return `Created ${path} (${size}).${said}`;
    if (type === 'unchanged') return `${path} has this content already, so nothing was written.`;
    return `Updated ${path} (${size}).${said}\n\n${patch}`;
  },

  toHooks: ({ type, file, original, patch }, { content }) => ({
    type: type === 'created' ? 'create' : 'update',
    filePath: file,
    content,
    originalFile: original,
    structuredPatch: hunksOf(patch),
    userModified: false,
  }),

  displayCall: ({ file_path = '' }) => ({ title: file_path }),
  displayResult: ({ type, path, patch }, { content }) => ({
    title: path,
    facts: [type],
    body: { type: 'diff', path, patch: type === 'created' ? unifiedPatch(path, '', content) : patch },
  }),
  displayRefusal: ({ file_path, content }) => ({
    title: file_path,
    body: diffOf(file_path, [wholePatch(file_path, '', content)]),
  }),
});

interface WritePlan {
  target: TargetFile;
  /** With the requested line endings. */
  content: string;
  /** Undefined if there is no file yet. */
  replacing?: FilePlan;
}

async function plan(
  { file_path, content: sent, line_endings: wanted = 'keep' }: WriteInput,
  context: ToolContext,
): Promise<WritePlan> {
  const content = withEndings(sent, wanted);
  if (!content.isWellFormed()) {
    throw refusal('content holds half of a surrogate pair, which is no character. Nothing was written.', {
      advice: 'Send whole characters.',
    });
  }
  const target = await locate(file_path, context);
  if (fileIdentity(target.real) === undefined) {
    await checkPlace(target, context);
    return { target, content };
  }
  const make = (file: LoadedText, seen: SeenFile): ChangedText => {
    checkSeenWhole(target, seen, file);
    return wanted === 'keep' ? replacement(file, content) : wholeText(content, file.format);
  };
  const change = { action: 'write', name: 'the write', make } as const;
  return { target, content, replacing: await planChange(target, change, context) };
}

function withEndings(content: string, wanted: 'keep' | 'lf' | 'crlf'): string {
  if (wanted === 'keep') return content;
  const plain = content.replaceAll('\r\n', '\n');
  return wanted === 'lf' ? plain : plain.replaceAll('\n', '\r\n');
}

const newText = (content: string, notes: string[]): ChangedText => ({
  ...wholeText(content, { encoding: 'utf-8', bom: false }),
  notes,
});

const notesOnNew = ({ real }: TargetFile, { session: { ledger } }: ToolContext): string[] =>
  ledger.get(real) ? ['The file that you had read there was deleted or moved meanwhile, so this is a new one.'] : [];

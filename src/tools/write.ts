import { dirname } from 'node:path';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { makeFolder, writeFileAtomically } from '../platform/files/atomic-write.js';
import { fileIdentity } from '../platform/files/paths.js';
import { encodeText, markOf, type TextFormat } from '../platform/files/text-file.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { countLines } from '../platform/text/line-endings.js';
import { counted } from './counted.js';
import { checkReplaceable } from './editing/check-editable.js';
import { checkPlace } from './editing/check-place.js';
import { hashOf, type LoadedText, loadText } from './editing/load-text.js';
import { changeEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Write a whole file: a new one, or a new content for one that you have read.
Use it for new files and for rewrites. Use Edit for small changes: it sends less and can't lose the rest of the file.
Folders that are missing are made. An existing file must have been read whole and be unchanged since; it keeps its mode, its encoding and its line endings.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText.describe('The file to write, absolute or relative to the working directory'),
    content: z.string().describe('The whole content of the file'),
  }),
);

type WriteInput = z.output<typeof input>;

interface WriteData {
  type: 'created' | 'updated' | 'unchanged';
  path: string;
  lines: number;
  patch: string;
  keptEndings: boolean;
}

export const writeTool = defineTool<WriteInput, WriteData>({
  name: 'Write',
  description,
  input,

  effects: ({ file_path }, context) => changeEffects(file_path, context),

  async validate(write, context) {
    await plan(write, context);
    return undefined;
  },

  async execute(write, context) {
    const { target, before, bytes, text } = await plan(write, context);
    context.signal.throwIfAborted();
    const unchanged = before !== undefined && bytes.equals(before.bytes);
    if (!unchanged) {
      if (!before) await makeFolder(dirname(target.real));
      await writeFileAtomically(target.real, bytes);
    }
    context.session.ledger.set(target.real, { hash: hashOf(bytes), size: bytes.length, at: new Date(), lines: 'all' });
    return {
      type: unchanged ? 'unchanged' : before ? 'updated' : 'created',
      path: target.shown,
      lines: countLines(text),
      patch: before ? unifiedPatch(target.shown, before.text, text) : '',
      keptEndings: before !== undefined && text !== write.content,
    };
  },

  toModel({ type, path, lines, patch, keptEndings }) {
    const size = counted(lines, 'line');
    if (type === 'created') return `Created ${path} (${size}).`;
    if (type === 'unchanged') return `${path} has this content already, so nothing was written.`;
    const endings = keptEndings ? ' Its line endings (\\r\\n) were kept.' : '';
    return `Updated ${path} (${size}).${endings}\n\n${patch}`;
  },

  displayCall: ({ file_path = '' }) => ({ title: file_path }),
  displayResult: ({ type, path, lines, patch }, { content }) => ({
    title: `${path}: ${type}, ${counted(lines, 'line')}`,
    body: { type: 'diff', path, patch: type === 'created' ? unifiedPatch(path, '', content) : patch },
  }),
  displayRefusal: ({ file_path, content }) => ({
    title: file_path,
    body: { type: 'diff', path: file_path, patch: unifiedPatch(file_path, '', content) },
  }),
});

interface Plan {
  target: TargetFile;
  /** The file as it is; undefined where there is none. */
  before: LoadedText | undefined;
  text: string;
  bytes: Buffer;
}

async function plan({ file_path, content }: WriteInput, context: ToolContext): Promise<Plan> {
  if (!content.isWellFormed()) {
    throw refusal(
      'content holds half of a surrogate pair, which is no character. Nothing was written. Send whole characters.',
    );
  }
  const target = await locate(file_path, context);
  const before = (await fileIdentity(target.real)) === undefined ? undefined : await loadText(target, context);
  if (before) checkReplaceable(context.session.ledger, target, before);
  else await checkPlace(target, context);
  const text =
    before && hasOnlyCrLf(before.text) && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
  return { target, before, text, bytes: encode(text, before?.format ?? { encoding: 'utf-8', bom: false }) };
}

const hasOnlyCrLf = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(text);

function encode(text: string, format: TextFormat): Buffer {
  // A mark in the content itself is the one that the file already has.
  return Buffer.concat([markOf(format), encodeText(format.bom ? text.replace(/^\ufeff/, '') : text, format.encoding)]);
}

import type { ToolContext } from '../../contract/tool-context.js';
import { sha256 } from '../../platform/crypto.js';
import { fileKind } from '../../platform/files/file-kind.js';
import { decodeText, type TextFile, UndecodableText } from '../../platform/files/text-file.js';
import { refusal } from '../refusal.js';
import { openTarget, type TargetFile } from '../target-file.js';

export const MAX_BYTES = 64 * 1024 * 1024; // an edit holds the text several times over

export interface LoadedText extends TextFile {
  hash: string;
  modified: Date;
}

/** The whole of a text file for changing it; anything that can't be written back without loss is refused. */
export async function loadText(target: TargetFile, context: Pick<ToolContext, 'cwd'>): Promise<LoadedText> {
  const { handle, stats } = await openTarget(target, context);
  try {
    if (stats.size > MAX_BYTES) {
      throw refusal(
        `${target.shown} has ${stats.size} bytes, and files over ${MAX_BYTES} bytes can't be changed by this tool. Use Bash, for example with sed.`,
      );
    }
    const bytes = await handle.readFile();
    assertText(target, bytes);
    return { ...decode(target, bytes), hash: hashOf(bytes), modified: stats.mtime };
  } finally {
    await handle.close();
  }
}

export const hashOf = (bytes: Uint8Array): string => sha256().update(bytes).digest('hex');

export function assertText(target: TargetFile, head: Uint8Array): void {
  const kind = fileKind(head);
  if (kind.kind === 'text') return;
  const what = kind.kind === 'image' ? kind.mediaType : (kind.format ?? 'it holds NUL bytes');
  throw refusal(
    `${target.shown} is a binary file (${what}), so it can't be handled as text. Use Bash with a program for it.`,
  );
}

function decode(target: TargetFile, bytes: Buffer): TextFile {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw undecodable(target, error);
  }
}

/** The refusal for a file whose encoding is not known; any other error comes back as it is. */
export function undecodable(target: TargetFile, error: unknown): unknown {
  if (!(error instanceof UndecodableText)) return error;
  return refusal(
    `${target.shown} is in an encoding that can't be read without loss: ${error.message}. Nothing was changed. Convert it to UTF-8 first (for example with iconv), or use Bash.`,
    error,
  );
}

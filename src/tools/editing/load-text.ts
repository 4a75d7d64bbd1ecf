import { ToolFailure } from '../../contract/failure.js';
import type { SeenFile, ToolContext } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';
import { decodeText, type TextFile, UndecodableText } from '../../platform/encodings/text-file.js';
import { fileKind } from '../../platform/files/file-kind.js';
import { NotARegularFile } from '../../platform/files/open-file.js';
import { isMissing } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import { refusal } from '../refusal.js';
import { openTarget, type TargetFile } from '../target-file.js';
import { refuseUnsaved } from '../unsaved-text.js';

/** "14:02:11", in local time. */
export const timeOfDay = (time: Date): string => time.toTimeString().slice(0, 8);

export const MAX_BYTES = 64 * 1024 * 1024; // an edit holds several copies of the text in memory

export interface LoadedText extends TextFile {
  hash: string;
  modified: Date;
  /** The number of hard links. */
  names: number;
}

/** Loads a whole text file for editing; refuses one that can't be written back, or has unsaved changes in an editor. */
export async function loadText(
  target: TargetFile,
  context: Pick<ToolContext, 'cwd' | 'approved' | 'session' | 'signal'>,
): Promise<LoadedText> {
  const seen = context.session.ledger.get(target.real);
  const { handle, stats } = await openTarget(target, context).catch((error: unknown) => {
    throw seen ? goneSinceRead(target, seen, error) : error;
  });
  try {
    if (stats.size > MAX_BYTES) {
      throw refusal(
        `${target.shown} has ${stats.size} bytes, and files over ${MAX_BYTES} bytes can't be changed by this tool.`,
        { advice: 'Use Bash, for example with sed.' },
      );
    }
    const bytes = await handle.readFile();
    if (seen && fileKind(bytes).kind !== 'text') {
      throw refusal(
        `${target.shown} is a binary file now, not the text that was read (read ${timeOfDay(seen.at)}). Nothing was written.`,
        { advice: 'Ask the user what happened to it.' },
      );
    }
    assertText(target, bytes);
    const decoded = decode(target, bytes);
    await refuseUnsaved(target, context, decoded.text);
    return { ...decoded, hash: hashOf(bytes), modified: stats.mtime, names: stats.nlink };
  } finally {
    handle.close();
  }
}

/** The file as the model saw it, if its bytes were kept. */
export function textAsSeen(target: TargetFile, { bytes, hash, at }: SeenFile): LoadedText | undefined {
  if (!bytes) return undefined;
  return { ...decode(target, Buffer.from(bytes)), hash, modified: at, names: 1 };
}

function goneSinceRead(target: TargetFile, { at }: SeenFile, error: unknown): unknown {
  if (!(error instanceof ToolFailure)) return error;
  if (isMissing(error.cause)) {
    return refusal(
      `${target.shown} does not exist any more: it was deleted or moved after it was read (read ${timeOfDay(at)}). Nothing was written.`,
      { advice: 'Find it with Glob, or create it with Write.', cause: error.cause },
    );
  }
  if (error.cause instanceof NotARegularFile) {
    return refusal(
      `${target.shown} is ${error.cause.what} now, not the file that was read (read ${timeOfDay(at)}). Nothing was written.`,
      { advice: 'Look at what is there before you go on.', cause: error.cause },
    );
  }
  return error;
}

export function assertText(target: TargetFile, head: Uint8Array): void {
  const kind = fileKind(head);
  if (kind.kind === 'text') return;
  const what = kind.kind === 'image' ? kind.mediaType : (kind.format ?? 'it holds NUL bytes');
  throw refusal(`${target.shown} is a binary file (${what}), so it can't be handled as text.`, {
    advice: 'Use Bash with a program for it.',
  });
}

function decode(target: TargetFile, bytes: Buffer): TextFile {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw undecodable(target, error);
  }
}

/** The refusal for a file with an unknown encoding; any other error is returned unchanged. */
export function undecodable(target: TargetFile, error: unknown): unknown {
  if (!(error instanceof UndecodableText)) return error;
  return refusal(
    `${target.shown} is in an encoding that can't be read without loss: ${clause(error.message)}. Nothing was changed.`,
    { advice: 'Convert it to UTF-8 first (for example with iconv), or use Bash.', cause: error },
  );
}

import { basename } from 'node:path';
import type { ToolContext } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';
import { decodeText } from '../../platform/encodings/text-file.js';
import { fileKind } from '../../platform/files/file-kind.js';
import { openForReading } from '../../platform/files/open-file.js';
import { type LinePrefixes, linesShown } from './lines-shown.js';
import { joinRanges } from './match/line-ranges.js';
import { textLines } from './match/text-lines.js';

const MAX_BYTES = 1024 * 1024; // files that are printed by a command and are larger than this are rarely edited

/** Records in the ledger which lines of a file a call has shown. A file that can't be read counts as not shown. */
export async function noteShown(
  real: string,
  output: string,
  { session: { ledger }, callId }: Pick<ToolContext, 'session' | 'callId'>,
  shape: Pick<LinePrefixes, 'isPlain'> = {},
): Promise<void> {
  const bytes = await bytesOf(real);
  if (!bytes || fileKind(bytes).kind !== 'text') return;
  let text: string;
  try {
    text = decodeText(bytes).text;
  } catch {
    return; // what is not valid text was not shown as it is
  }
  const shown = linesShown(textLines(text), output, { ...shape, name: basename(real) });
  if (shown !== 'all' && shown.length === 0) return;
  const hash = hashOf(bytes);
  const before = ledger.get(real);
  const earlier = before?.hash === hash ? before.lines : [];
  const lines = earlier === 'all' || shown === 'all' ? 'all' : joinRanges([...earlier, ...shown]);
  ledger.set(real, { hash, size: bytes.length, at: new Date(), lines, bytes }, callId);
}

async function bytesOf(real: string): Promise<Buffer | undefined> {
  const opened = await openForReading(real).catch(() => undefined);
  if (!opened) return undefined;
  try {
    return opened.stats.size > MAX_BYTES ? undefined : await opened.handle.readFile();
  } catch {
    return undefined;
  } finally {
    opened.handle.close();
  }
}

import { unifiedPatch } from '../../platform/text/diff.js';
import { grouped } from '../../platform/text/digits.js';

/** The change of a file's content, as a patch, or as one line if it is not text. */
export function describeContent(path: string, now: Uint8Array | undefined, then: Uint8Array | undefined): string {
  const [before, after] = [textOf(now), textOf(then)];
  if (before !== undefined && after !== undefined) return unifiedPatch(path, before, after);
  const size = (bytes: Uint8Array | undefined): string => (bytes ? `${grouped(bytes.length)} bytes` : 'nothing');
  return `(not text: ${size(now)} now, ${size(then)} then)`;
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes) return '';
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

import { isAscii } from 'node:buffer';
import { isLegacy, legacyDecoder } from './legacy-encodings.js';
import {
  cutCharacterBytes,
  detectFormat,
  formatByHead,
  formatName,
  markOf,
  refuseStates,
  type TextFormat,
  textDecoder,
  UndecodableText,
} from './text-file.js';

/** Decodes a file in chunks, each of a line's length or many, without keeping them. */
export interface TextStream {
  /** `linesBefore` locates a chunk in the error message. */
  write(piece: Buffer, linesBefore: number): string;
  end(linesBefore: number): string;
  format(): TextFormat;
}

const CONTEXT_BYTES = 64;
const UTF8: TextFormat = { encoding: 'utf-8', bom: false };

/**
 * The encoding is determined by the first chunk with non-ASCII bytes: up to there all encodings without a byte order
 * mark are equal. Throws `UndecodableText` for a byte that is not valid in it.
 */
export function startDecoding(): TextStream {
  let format: TextFormat | undefined;
  let decode: ((piece: Buffer | undefined) => string) | undefined;
  let held = Buffer.alloc(0); // a character that was cut at the end of the last chunk, before the encoding was determined
  let context = Buffer.alloc(0); // the ASCII before it, which helps the guess
  let isFirst = true;

  const choose = (chosen: TextFormat): void => {
    format = chosen;
    decode = decoderOf(chosen);
  };
  const run = (piece: Buffer | undefined, linesBefore: number): string => {
    try {
      return decode?.(piece) ?? '';
    } catch (error) {
      const where = linesBefore > 0 ? ` after line ${linesBefore}` : '';
      throw new UndecodableText(`bytes of it${where} are not valid ${formatName(format ?? UTF8)}`, { cause: error });
    }
  };
  const decide = (bytes: Buffer, linesBefore: number, part = { whole: false }): string => {
    choose(detectFormat(Buffer.concat([context, bytes]), part));
    return run(bytes, linesBefore);
  };

  return {
    write(piece, linesBefore) {
      if (isFirst) {
        isFirst = false;
        const byHead = formatByHead(piece);
        if (byHead) {
          choose(byHead);
          return run(piece.subarray(markOf(byHead).length), linesBefore);
        }
      }
      if (decode) return run(piece, linesBefore);
      const bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece;
      held = Buffer.alloc(0);
      refuseStates(bytes);
      const whole = bytes.subarray(0, bytes.length - cutCharacterBytes(bytes));
      if (!isAscii(whole)) return decide(bytes, linesBefore);
      held = Buffer.from(bytes.subarray(whole.length));
      context = Buffer.from(whole.subarray(-CONTEXT_BYTES));
      return whole.toString('latin1');
    },
    end(linesBefore) {
      const last = held.length > 0 ? decide(held, linesBefore, { whole: true }) : '';
      return last + run(undefined, linesBefore);
    },
    format: () => format ?? UTF8,
  };
}

function decoderOf(format: TextFormat): (piece: Buffer | undefined) => string {
  const { encoding } = format;
  if (!isLegacy(encoding)) {
    const decoder = textDecoder(encoding);
    return (piece) => decoder.decode(piece, { stream: piece !== undefined });
  }
  const decoder = legacyDecoder(encoding);
  return (piece) => {
    const text = (piece ? decoder.write(piece) : decoder.end()) ?? '';
    if (text.includes('\ufffd')) throw new RangeError(`not valid ${formatName(format)}`);
    return text;
  };
}

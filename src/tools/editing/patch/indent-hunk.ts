// A hunk's lines may match a file with another indentation. The lines that it adds follow the file.
import { refusal } from '../../refusal.js';
import type { TargetFile } from '../../target-file.js';
import { rangeText } from '../check-editable.js';
import { changeBetween, type IndentationPair, unlessIndented } from '../match/find-indented.js';
import { foldLookAlikes } from '../match/look-alikes.js';
import { showLines } from '../match/show-place.js';
import type { TextLines } from '../match/text-lines.js';
import type { Hunk, HunkChange } from './patch-format.js';
import type { HunkPlace } from './place-hunk.js';

interface HunkFile {
  target: TargetFile;
  text: TextLines;
  /** The hunk's name in messages. */
  name: string;
}

/** The hunk with its new lines indented as the file is there. Refuses it if the indentation is ambiguous. */
export function indentAsFile(hunk: Hunk, { first, how, lines }: HunkPlace, file: HunkFile): Hunk {
  if (how !== 'blanks' || hunk.before.length === 0) return hunk;
  const { target, text, name } = file;
  const pairs = hunk.before.map((sent, index) => pairOf(sent, text.line(first + index)));
  return {
    ...hunk,
    changes: hunk.changes.map((change) => {
      const added = indented(change, pairs);
      if (added) return { ...change, added };
      const place = lines ?? [first, first];
      throw refusal(
        `${name} fits ${target.shown} at ${place[0] === place[1] ? 'line' : 'lines'} ${rangeText(place)} but for its indentation, which differs in more than one way, so it is unclear how the new lines are indented. Nothing was written.`,
        { advice: `Send its lines exactly as in the file:\n${showLines(text, place)}` },
      );
    }),
  };
}

type Pair = IndentationPair & { isBlank: boolean };

function pairOf(sent: string, there: string): Pair {
  const indentationOf = (line: string): string => foldLookAlikes(/^\s*/.exec(line)?.[0] ?? '');
  return { sent: indentationOf(sent), there: indentationOf(there), isBlank: sent.trim() === '' };
}

/** The replaced lines show which indentation is meant; if there are none, all lines of the hunk do. */
function indented({ at, removed, added }: HunkChange, all: readonly Pair[]): readonly string[] | undefined {
  const own = all.slice(at, at + removed.length).filter(({ isBlank }) => !isBlank);
  const pairs = own.length > 0 ? own : all.filter(({ isBlank }) => !isBlank);
  if (added.length === 0 || pairs.every(({ sent, there }) => sent === there)) return added;
  const change = changeBetween(pairs);
  if (!change) return undefined;
  // Replacement lines may already have the file's indentation.
  const { reindent } = own.length > 0 ? unlessIndented(change, own) : change;
  return reindent(added.join('\n'))?.split('\n');
}

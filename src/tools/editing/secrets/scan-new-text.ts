import { forEachEnding } from '../../../platform/text/line-endings.js';
import { findCredentials } from './find-credentials.js';
import { findHiddenCharacters } from './find-hidden-characters.js';
import { findPrivateKeys } from './find-private-keys.js';
import type { Occurrence } from './occurrence.js';

/** Something the user should know before the text is written. */
export interface TextFinding {
  /** 1-based line of the new text. */
  line: number;
  /** For messages: "GitHub token", "bidirectional control U+202E". Never the secret itself. */
  kind: string;
}

/**
 * Private keys, credentials in known formats, and characters that hide text or change its direction, if they are new:
 * what was in the text before is not reported, even if it has moved. One finding per kind and line, in order.
 */
export function scanNewText(before: string | undefined, after: string): TextFinding[] {
  const found = occurrences(after);
  if (found.length === 0) return [];
  const known = new Set(occurrences(before ?? '').map(identity));
  return withLines(
    after,
    found.filter((occurrence) => !known.has(identity(occurrence))),
  );
}

const occurrences = (text: string): Occurrence[] =>
  text === '' ? [] : [...findPrivateKeys(text), ...findCredentials(text), ...findHiddenCharacters(text)];

const identity = ({ kind, text }: Occurrence): string => `${kind}\0${text}`;

function withLines(text: string, found: readonly Occurrence[]): TextFinding[] {
  const inOrder = found.toSorted((first, second) => first.at - second.at);
  const findings: TextFinding[] = [];
  let next = 0;
  let line = 1;
  let kinds = new Set<string>();
  const takeUpTo = (end: number): void => {
    for (let one = inOrder[next]; one && one.at < end; one = inOrder[next]) {
      if (!kinds.has(one.kind)) findings.push({ line, kind: one.kind });
      kinds.add(one.kind);
      next += 1;
    }
    kinds = new Set();
    line += 1;
  };
  forEachEnding(text, (_, end) => {
    if (next < inOrder.length) takeUpTo(end);
  });
  takeUpTo(Number.POSITIVE_INFINITY);
  return findings;
}

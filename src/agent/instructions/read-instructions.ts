// Reads instruction files with their imports, and formats them for the model.

import { statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { sha256 } from '../../platform/crypto.js';
import { isInside, resolveIn } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import { grouped } from '../../platform/text/digits.js';
import { withoutReminders } from '../../platform/text/reminder.js';
import { visible } from '../../platform/text/visible.js';
import { hiddenIn, readProjectText, type TextRules } from '../project-text.js';
import { findImports, withoutEnding } from './find-imports.js';
import type { InstructionFile } from './instruction-files.js';

const MAX_FILE_CHARS = 40_000;
const MAX_ALL_CHARS = 160_000; // in the whole session, so that instructions leave room for the work
const MAX_DEPTH = 5; // of imports within imports

export interface InstructionRules extends TextRules {
  root: string;
}

export interface ReadInstructions {
  texts: InstructionText[];
  /** Sentences about files that were not read. */
  problems: string[];
}

interface InstructionText {
  path: string;
  shown: string;
  source: InstructionFile['source'];
  importedBy?: string;
  /** The path of the file that imports it. */
  parent?: string;
  text: string;
}

/** Reads each file once, even under several names, and skips files with the same content. */
export class InstructionReader {
  readonly #files: Set<string>;
  readonly #contents: Set<string>;
  #chars: number;

  /** `before`: files that this reader has read are skipped. */
  constructor(before?: InstructionReader) {
    this.#files = new Set(before ? before.#files : []);
    this.#contents = new Set(before ? before.#contents : []);
    this.#chars = before ? before.#chars : 0;
  }

  async read(files: readonly InstructionFile[], rules: InstructionRules): Promise<ReadInstructions> {
    const found: ReadInstructions = { texts: [], problems: [] };
    for (const file of files) await this.#add(file, { depth: 0 }, rules, found);
    return found;
  }

  async #add(
    file: InstructionFile,
    { depth, importedBy, parent }: { depth: number; importedBy?: string; parent?: string },
    rules: InstructionRules,
    found: ReadInstructions,
  ): Promise<void> {
    const read = await readProjectText(file.path, { source: file.source, maxChars: MAX_FILE_CHARS }, rules);
    if ('problem' in read) {
      if (read.real !== undefined && this.#files.has(read.real)) return;
      if (read.real !== undefined) this.#files.add(read.real);
      const by = importedBy === undefined ? '' : `, which ${importedBy} imports,`;
      found.problems.push(`${visible(file.shown)}${by} was not read: ${clause(read.problem)}.`);
      return;
    }
    if (this.#files.has(read.real)) return;
    this.#files.add(read.real);
    if (read.hidden > 0) found.problems.push(hiddenIn(visible(file.shown), read.hidden));
    const text = read.text.trim();
    const hash = hashOf(text);
    if (text === '' || this.#contents.has(hash)) return;
    this.#contents.add(hash);
    if (this.#chars + text.length > MAX_ALL_CHARS) {
      found.problems.push(
        `${visible(file.shown)} was not read: with it, instructions would have more than ${grouped(MAX_ALL_CHARS)} characters.`,
      );
      return;
    }
    this.#chars += text.length;
    found.texts.push({
      path: file.path,
      shown: file.shown,
      source: file.source,
      ...(importedBy !== undefined && { importedBy }),
      ...(parent !== undefined && { parent }),
      text,
    });
    if (depth === MAX_DEPTH) return;
    for (const path of findImports(text)) {
      const imported = importedFile(path, file, rules);
      if (imported)
        await this.#add(imported, { depth: depth + 1, importedBy: file.shown, parent: file.path }, rules, found);
    }
  }
}

const hashOf = (text: string): string => sha256().update(text).digest('hex');

/** Only existing files count, since `@` also begins names and packages. */
function importedFile(
  path: string,
  by: InstructionFile,
  { root, home }: InstructionRules,
): InstructionFile | undefined {
  for (const written of new Set([path, withoutEnding(path)])) {
    const absolute = resolveIn(dirname(by.path), written, () => home);
    if (!isFile(absolute)) continue;
    const fromHome = home !== undefined && !isInside(root, absolute) && isInside(home, absolute);
    const shown = fromHome
      ? `~/${relative(home, absolute)}`
      : isInside(root, absolute)
        ? relative(root, absolute)
        : absolute;
    return { path: absolute, shown, source: by.source };
  }
  return undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** The files as one text. Their content is escaped, so that it can't imitate the closing tag or texts of Helve. */
export function instructionsText({ texts, problems }: ReadInstructions): string {
  const parts = texts.map(({ shown, source, importedBy, text }) => {
    const by = importedBy === undefined ? '' : ` imported-by="${attribute(importedBy)}"`;
    const whose = source === 'user' ? 'person' : 'project';
    return `<instructions file="${attribute(shown)}" of="${whose}"${by}>\n${plain(text)}\n</instructions>`;
  });
  return [...parts, ...problems.map((sentence) => `(${plain(sentence)})`)].join('\n\n');
}

const attribute = (path: string): string => plain(visible(path)).replaceAll('"', "'");

const plain = (text: string): string => withoutReminders(text).replaceAll(/<(?=\s*(?:\/\s*)?instructions)/gi, '&lt;');

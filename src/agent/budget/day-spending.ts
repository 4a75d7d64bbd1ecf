// What a user spends in a day, over all processes: a file per local calendar day in the data folder.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../platform/error-code.js';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { messageOf } from '../../platform/message-of.js';
import { SpendingFile, type SpendingLine } from './spending-file.js';
import { addSpent, nothingSpent, type Spent } from './spent.js';

const dayFile = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

export const spendingFolder = (dataFolder: string): string => join(dataFolder, 'spending');

/** "2026-03-29", where the machine's time zone has that date. */
export function localDay(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/**
 * The spending of the present day. Files of later days count too: the clock was set back, and what was spent before it
 * was must not be free. Notices about such changes are given once.
 */
export class DaySpending {
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #notify: (sentence: string) => void;
  #file: { day: string; file: SpendingFile } | undefined;
  readonly #later = new Map<string, SpendingFile>();
  #lookedAt: string | undefined;

  constructor(dataFolder: string, { now, notify }: { now: () => Date; notify: (sentence: string) => void }) {
    this.#folder = spendingFolder(dataFolder);
    this.#now = now;
    this.#notify = notify;
  }

  /** The present day, as "2026-03-29". */
  get day(): string {
    return localDay(this.#now());
  }

  /** Throws an error with the reason if a file can't be read: then the total is not known. */
  total(): Spent {
    const { file } = this.#today();
    this.#findLaterDays();
    return [file, ...this.#later.values()].reduce((sum, one) => addSpent(sum, totalOf(one)), nothingSpent);
  }

  append(line: SpendingLine | undefined): unknown {
    try {
      const { file } = this.#today();
      makePrivateFolder(this.#folder);
      return file.append(line);
    } catch (error) {
      this.#file?.file.hold(line);
      return error;
    }
  }

  #today(): { day: string; file: SpendingFile } {
    const day = localDay(this.#now());
    if (this.#file?.day === day) return this.#file;
    const before = this.#file;
    const file = this.#later.get(day) ?? new SpendingFile(join(this.#folder, `${day}.jsonl`));
    this.#later.delete(day);
    this.#file = { day, file };
    this.#lookedAt = undefined;
    if (before && before.day < day) {
      before.file.append(undefined);
      this.#notify(`The date is now ${day}, so the budget of the day begins again.`);
    }
    return this.#file;
  }

  /** Looks once per day and process: later files appear only if a clock was ahead. */
  #findLaterDays(): void {
    const { day } = this.#today();
    if (this.#lookedAt === day) return;
    this.#lookedAt = day;
    this.#later.clear();
    for (const name of namesIn(this.#folder)) {
      const [, of] = dayFile.exec(name) ?? [];
      if (of === undefined || of <= day) continue;
      const file = new SpendingFile(join(this.#folder, name));
      this.#later.set(of, file);
      this.#notify(
        `${file.path} is of a later day than today (${day}), so the clock of this machine was changed. What it lists counts for today, too. If that is wrong, correct the clock or remove the file.`,
      );
    }
  }
}

function totalOf(file: SpendingFile): Spent {
  try {
    return file.total();
  } catch (error) {
    throw new Error(`${file.path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw new Error(`${folder} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

import type { LoadOptions } from '../settings/load.js';
import { SettingsRefused, trustNotice } from '../settings/report.js';
import { type WatchedSettings, watchSettings } from '../settings/watch.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const MAX_TOLD = 20; // a file that is wrong altogether is not read line by line

/** The settings that hold here. What is not trusted is told, unless a person is asked about it anyway. Those that are not understood and could refuse something are wrong usage. */
export async function readSettings(options: LoadOptions, { asksForTrust = false } = {}): Promise<WatchedSettings> {
  try {
    const watched = await watchSettings(options);
    const { problems, trust } = watched.current;
    const notice = asksForTrust ? undefined : trustNotice(trust);
    const told = [...problems.map(({ message }) => message), ...(notice === undefined ? [] : [notice])];
    for (const line of told.slice(0, MAX_TOLD)) await writeLine(process.stderr, `helve: ${line}`);
    if (told.length > MAX_TOLD) {
      await writeLine(process.stderr, `helve: ${told.length - MAX_TOLD} more. To see all: helve config list`);
    }
    return watched;
  } catch (error) {
    if (error instanceof SettingsRefused) throw new UsageProblem(error.message);
    throw error;
  }
}

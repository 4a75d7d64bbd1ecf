import type { LoadOptions } from '../settings/load.js';
import { SettingsRefused, trustNotice } from '../settings/settings-problem.js';
import { type WatchedSettings, watchSettings } from '../settings/watch.js';
import { SetupProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const MAX_TOLD = 20; // a file that is entirely wrong would produce too many

/**
 * The settings in effect. Untrusted ones are reported, unless the user is asked about them anyway. Invalid ones that
 * could deny something are a usage error.
 */
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
    if (error instanceof SettingsRefused) throw new SetupProblem(error.message);
    throw error;
  }
}

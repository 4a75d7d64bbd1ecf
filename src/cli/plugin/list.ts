import { existsSync } from 'node:fs';
import { jsonText } from '../../platform/text/json-line.js';
import { readContent } from '../../plugins/plugin-content.js';
import { describeSource } from '../../plugins/plugin-source.js';
import { idOf, readRegistry } from '../../plugins/registry.js';
import { isEnabled, sessionPlugins } from '../../plugins/session-plugins.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { installOptions } from './plugin-context.js';

const NONE = 'No plugins. To add one: helve plugin add FOLDER, or helve plugin add ADDRESS.';

/** Lists all plugins, marketplaces and approved folders, and whether each plugin is used. */
export async function list(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, settings: { type: 'string' } });
  if (positionals.length > 0)
    throw new UsageProblem(`helve plugin list takes no argument such as "${positionals[0]}".`);
  const options = await installOptions(values);
  const { plugins, marketplaces, folders } = readRegistry(options.dataFolder);
  const { plugins: used, held, notices } = await sessionPlugins(options);
  const rows = plugins.map((record) => {
    const id = idOf(record);
    const isOn = isEnabled(record, options.settings);
    const notice = held.find((one) => one.id === id)?.notice ?? null;
    const state = used.some((one) => one.id === id) ? 'used' : isOn ? 'held back' : 'disabled';
    return { id, state, version: record.version ?? null, source: describeSource(record.source), notice };
  });
  const markets = marketplaces.map(({ name, source }) => ({ name, source: describeSource(source) }));
  const approved = await Promise.all(Object.entries(folders).map(approvedFolder));
  if (values.json)
    await writeLine(process.stdout, jsonText({ plugins: rows, marketplaces: markets, folders: approved }));
  else {
    if (rows.length + markets.length + approved.length === 0) await writeLine(process.stdout, NONE);
    for (const { id, state, version, source, notice } of rows) {
      await writeLine(process.stdout, `${id}${version === null ? '' : ` ${version}`}: ${state}, from ${source}`);
      if (notice !== null) await writeLine(process.stdout, `  ${notice}`);
    }
    for (const { name, source } of markets) await writeLine(process.stdout, `marketplace ${name}: ${source}`);
    for (const { path, state } of approved)
      await writeLine(
        process.stdout,
        `--plugin-dir ${path}: ${state}. To take the approval back: helve plugin remove ${path}`,
      );
    for (const notice of notices) await writeLine(process.stderr, `helve: ${notice}`);
  }
  return exitCode.ok;
}

/** A folder whose content was approved for `--plugin-dir`, and whether it still has that content. */
async function approvedFolder([path, hash]: [string, string]): Promise<{ path: string; state: string; hash: string }> {
  if (!existsSync(path)) return { path, state: 'approved, but the folder is gone', hash };
  const now = await readContent(path).catch(() => undefined);
  return { path, state: now?.hash === hash ? 'approved' : 'changed since it was approved', hash };
}

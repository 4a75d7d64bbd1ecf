import { jsonText } from '../../platform/text/json-line.js';
import { removeMarketplace, removePlugin, revokeFolder } from '../../plugins/install.js';
import { findFolder, findRecord, idOf, readRegistry } from '../../plugins/registry.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { installOptions, recordNamed } from './plugin-context.js';

/** Removes a plugin with its files, values and data, a marketplace, or the approval of a folder. */
export async function remove(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, settings: { type: 'string' } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageProblem('Use helve plugin remove NAME, or helve plugin remove DIR.');
  const { dataFolder } = await installOptions(values);
  const registry = readRegistry(dataFolder);
  const record = findRecord(registry, name);
  const isMarket = !record && registry.marketplaces.some((one) => one.name === name);
  const folder = record || isMarket ? undefined : findFolder(registry, name);
  if (folder !== undefined) return await revoke(dataFolder, folder, values.json);
  if (isMarket) await removeMarketplace(dataFolder, name);
  else await removePlugin(dataFolder, recordNamed(registry, name));
  const id = record ? idOf(record) : name;
  if (values.json) await writeLine(process.stdout, jsonText({ removed: id }));
  else await writeLine(process.stdout, `${id} was removed.`);
  return exitCode.ok;
}

/** The folder itself stays as it is. */
export async function revoke(dataFolder: string, folder: string, json: boolean | undefined): Promise<number> {
  await revokeFolder(dataFolder, folder);
  if (json) await writeLine(process.stdout, jsonText({ revoked: folder }));
  else await writeLine(process.stdout, `The approval of ${folder} was removed, with the plugin's values and data.`);
  return exitCode.ok;
}

import { messageOf } from '../../platform/message-of.js';
import { jsonText } from '../../platform/text/json-line.js';
import { commitPlugin, discardPlugin, type InstallOptions, prepareUpdate } from '../../plugins/install.js';
import { PluginProblem } from '../../plugins/plugin-problem.js';
import { idOf, type PluginRecord, readRegistry } from '../../plugins/registry.js';
import { sweep } from '../../plugins/stage-copy.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { approvedBefore, isApproved } from './approve.js';
import { installOptions, recordNamed } from './plugin-context.js';

type UpdateState = 'updated' | 'unchanged' | 'not approved' | 'failed';

/** Fetches plugins again. The present content stays in use until the new one is approved. */
export async function update(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
    full: { type: 'boolean' },
    settings: { type: 'string' },
  });
  if (positionals.length > 1) throw new UsageProblem('Use helve plugin update [NAME].');
  const options = await installOptions(values);
  const registry = readRegistry(options.dataFolder);
  const [name] = positionals;
  const records = name === undefined ? registry.plugins : [recordNamed(registry, name)];
  const results: Array<{ id: string; state: UpdateState; problem: string | null }> = [];
  for (const record of records) {
    const result = await updateOne(record, options, values);
    results.push({ id: idOf(record), ...result });
    if (!values.json) await writeLine(process.stdout, line(idOf(record), result));
  }
  if (values.json) await writeLine(process.stdout, jsonText(results));
  await sweep(options.dataFolder, readRegistry(options.dataFolder));
  return results.every(({ state }) => state === 'updated' || state === 'unchanged') ? exitCode.ok : exitCode.failed;
}

function line(id: string, { state, problem }: { state: UpdateState; problem: string | null }): string {
  if (state === 'updated') return `${id} was updated. It is used from the next session on.`;
  if (state === 'unchanged') return `${id} is up to date.`;
  if (state === 'failed') return `${id} was not updated: ${problem}`;
  return `${id} was not updated: the change was not approved. To see it and approve it: helve plugin update ${id}`;
}

async function updateOne(
  record: PluginRecord,
  options: InstallOptions,
  { yes, json, full }: { yes?: boolean | undefined; json?: boolean | undefined; full?: boolean | undefined },
): Promise<{ state: UpdateState; problem: string | null }> {
  try {
    const fresh = await prepareUpdate(record, options);
    if (fresh.content.hash === record.approved) {
      // The copy may have been damaged; it is the approved content again.
      if (fresh.copy !== record.copy) await commitPlugin(fresh, options, { isApproved: true });
      return { state: 'unchanged', problem: null };
    }
    const before = await approvedBefore(record, options.dataFolder);
    if (await isApproved(fresh, before, { yes, quiet: json, full, command: `helve plugin update ${idOf(record)}` })) {
      await commitPlugin(fresh, options, { isApproved: true });
      return { state: 'updated', problem: null };
    }
    await discardPlugin(fresh, options);
    return { state: 'not approved', problem: null };
  } catch (error) {
    if (error instanceof PluginProblem) return { state: 'failed', problem: messageOf(error) };
    throw error;
  }
}

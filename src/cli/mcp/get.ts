import { dataFolderOf } from '../../platform/files/paths.js';
import { jsonText } from '../../platform/text/json-line.js';
import { visible } from '../../platform/text/visible.js';
import { toolPins } from '../../settings/tool-pins.js';
import { readArgs, settingsOptions } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { findServer, knownServers, serverFlags } from './known-servers.js';
import { changeLines, shownChanges } from './show-changes.js';
import { asRow, placeOf, stateOf, withoutSecrets } from './show-server.js';

/** Shows one server, and every file that defines that name. */
export async function get(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { ...serverFlags, json: { type: 'boolean' } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem('Use helve mcp get NAME.');
  const { servers } = await knownServers(values);
  const server = findServer(name, servers);
  const others = servers.filter((one) => one.name === name && one !== server);
  const waiting = await toolPins(dataFolderOf(settingsOptions())).waiting(name);
  const changes = waiting.flatMap((one) => one.changes);
  if (values.json) {
    const answer = { ...asRow(server), others: others.map(asRow), changedTools: await shownChanges(changes) };
    await writeLine(process.stdout, jsonText(answer));
    return exitCode.ok;
  }
  const lines = [
    `${name}: ${stateOf(server)}`,
    `  ${server.scope}, ${placeOf(server)}`,
    ...visible(JSON.stringify(withoutSecrets(server.entry), null, 2))
      .split('\n')
      .map((line) => `  ${line}`),
    ...others.map((other) => `Also in ${placeOf(other)} (${other.scope}), ${stateOf(other)}.`),
    ...(await changeLines(changes)),
    ...(changes.length === 0 ? [] : [`To approve: helve mcp approve ${name}`]),
  ];
  await writeLine(process.stdout, lines.join('\n'));
  return exitCode.ok;
}

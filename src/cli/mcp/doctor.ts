import { jsonText } from '../../platform/text/json-line.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { checkServers } from './check-servers.js';
import { findServer, knownServers, serverFlags } from './known-servers.js';
import { changeLines, shownChanges } from './show-changes.js';
import { placeOf, stateOf } from './show-server.js';

/** Checks the servers in use. Exits with 1 if one is broken; untrusted ones are skipped. */
export async function doctor(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { ...serverFlags, json: { type: 'boolean' } });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageProblem('Use helve mcp doctor, or helve mcp doctor NAME.');
  const { servers } = await knownServers(values);
  const wanted = name === undefined ? servers : [findServer(name, servers)];
  const findings = await checkServers(wanted, values);
  const rows = wanted.map((server) => {
    const check = findings.get(server);
    const state = check ? (check.ok ? 'ok' : 'broken') : 'skipped';
    const detail = check?.detail ?? stateOf(server);
    return { name: server.name, place: placeOf(server), state, detail, changes: check?.changes ?? [] } as const;
  });
  if (values.json) {
    const shown = rows.map(async ({ changes, ...row }) => ({ ...row, changedTools: await shownChanges(changes) }));
    await writeLine(process.stdout, jsonText(await Promise.all(shown)));
  } else {
    if (rows.length === 0) await writeLine(process.stdout, 'No MCP servers are configured here.');
    for (const row of rows) {
      await writeLine(process.stdout, `${marks[row.state]} ${row.name}: ${row.detail} (${row.place})`);
      for (const line of await changeLines(row.changes)) await writeLine(process.stdout, `    ${line}`);
    }
  }
  return rows.some(({ state }) => state === 'broken') ? exitCode.failed : exitCode.ok;
}

const marks = { ok: '✓', skipped: '–', broken: '✗' } as const;

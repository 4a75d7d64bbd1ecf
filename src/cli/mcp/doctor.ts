import { jsonText } from '../../platform/text/json-line.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { checkServers } from './check-servers.js';
import { findServer, knownServers, serverFlags } from './known-servers.js';
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
    return { name: server.name, place: placeOf(server), state, detail: check?.detail ?? stateOf(server) } as const;
  });
  if (values.json) await writeLine(process.stdout, jsonText(rows));
  else {
    if (rows.length === 0) await writeLine(process.stdout, 'No MCP servers are configured here.');
    for (const row of rows)
      await writeLine(process.stdout, `${marks[row.state]} ${row.name}: ${row.detail} (${row.place})`);
  }
  return rows.some(({ state }) => state === 'broken') ? exitCode.failed : exitCode.ok;
}

const marks = { ok: '✓', skipped: '–', broken: '✗' } as const;

import { jsonText } from '../../platform/text/json-line.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { checkServers } from './check-servers.js';
import { knownServers, serverFlags } from './known-servers.js';
import { asRow, placeOf, stateOf, summaryOf } from './show-server.js';

const NONE = 'No MCP servers. To add one: helve mcp add NAME -- COMMAND, or helve mcp add NAME URL.';

/** Lists all configured servers and their states. Starts none, unless asked to check them. */
export async function list(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    ...serverFlags,
    json: { type: 'boolean' },
    check: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageProblem(`helve mcp list takes no argument such as "${positionals[0]}".`);
  const { servers, settings } = await knownServers(values);
  const findings = values.check ? await checkServers(servers, values) : undefined;
  const found = (server: (typeof servers)[number]) => findings?.get(server);
  if (values.json) {
    const rows = servers.map((server) => ({ ...asRow(server), ...(findings && { check: found(server) ?? null }) }));
    await writeLine(process.stdout, jsonText(rows));
  } else {
    if (servers.length === 0) await writeLine(process.stdout, NONE);
    for (const server of servers) {
      const check = found(server);
      const lines = [
        `${server.name}: ${summaryOf(server)}`,
        `  ${server.scope}, ${placeOf(server)}, ${stateOf(server)}`,
        ...(check ? [`  ${check.ok ? '✓' : '✗'} ${check.detail}`] : []),
      ];
      await writeLine(process.stdout, lines.join('\n'));
    }
  }
  for (const { file, message } of settings.problems) {
    if (file === '.mcp.json' || message.includes('mcpServers')) await writeLine(process.stderr, `helve: ${message}`);
  }
  if (servers.some(({ state }) => state === 'untrusted')) {
    await writeLine(process.stderr, 'helve: to see what is untrusted, and to trust it: helve config trust.');
  }
  const isBroken = [...(findings?.values() ?? [])].some(({ ok }) => !ok);
  return isBroken ? exitCode.failed : exitCode.ok;
}

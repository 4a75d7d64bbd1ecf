// `helve serve code`: signs a browser in without a token to type.

import { clientRoles } from '../../contract/client-role.js';
import { AccessFile } from '../../serve/access-file.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { oneOf } from '../one-of.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

export async function code(argv: readonly string[], dataFolder: string): Promise<number> {
  const { values, positionals } = readArgs(argv, { role: { type: 'string' }, project: { type: 'string' } });
  if (positionals[0] !== undefined)
    throw new UsageProblem(`helve serve code takes no argument such as "${positionals[0]}".`);
  const role = oneOf('--role', clientRoles, values.role ?? 'run');
  await writeLine(process.stdout, await new AccessFile(dataFolder).addCode(role, values.project));
  await writeLine(process.stderr, `helve: It signs one browser in with the role ${role}, within five minutes.`);
  return exitCode.ok;
}

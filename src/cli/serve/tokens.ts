// `helve serve tokens`: who may use the server.

import { type ClientRole, clientRoles } from '../../contract/client-role.js';
import { jsonText } from '../../platform/text/json-line.js';
import { table } from '../../platform/text/table.js';
import { visible } from '../../platform/text/visible.js';
import { AccessFile, type ListedToken } from '../../serve/access-file.js';
import { readArgs } from '../args.js';
import { chooseAction } from '../choose-action.js';
import { exitCode } from '../exit-codes.js';
import { oneOf } from '../one-of.js';
import { UsageProblem } from '../usage-problem.js';
import { wholeNumber } from '../whole-number.js';
import { writeLine } from '../write-line.js';

const USAGE = 'Use helve serve tokens add NAME --role ROLE, list, or revoke NAME.';

type Action = (argv: readonly string[], access: AccessFile) => Promise<number>;

export async function tokens([name, ...rest]: readonly string[], dataFolder: string): Promise<number> {
  const action = chooseAction('serve tokens', name, actions, USAGE);
  return await action(rest, new AccessFile(dataFolder));
}

const addFlags = {
  role: { type: 'string' },
  expires: { type: 'string' },
  project: { type: 'string' },
  running: { type: 'string' },
  'per-day': { type: 'string' },
} as const;

const add: Action = async (argv, access) => {
  const { values, positionals } = readArgs(argv, addFlags);
  const name = onlyName(positionals, 'add');
  if (!/^[\w.@-]{1,64}$/.test(name)) {
    throw new UsageProblem(`A name has 1 to 64 letters, digits, "-", "_", "." and "@", but was "${name}".`);
  }
  if (values.role === undefined) throw new UsageProblem(`--role is missing: one of ${clientRoles.join(', ')}.`);
  const role: ClientRole = oneOf('--role', clientRoles, values.role);
  const expires = values.expires === undefined ? undefined : Date.now() + readTime(values.expires);
  const scope = {
    project: values.project,
    running: values.running === undefined ? undefined : wholeNumber('running', values.running),
    perDay: values['per-day'] === undefined ? undefined : wholeNumber('per-day', values['per-day']),
  };
  const token = await access.addToken(name, role, expires, scope);
  await writeLine(process.stdout, token);
  const until = expires === undefined ? '' : ` It is valid until ${new Date(expires).toISOString()}.`;
  await writeLine(
    process.stderr,
    `helve: This is the token "${name}" with the role ${role}. It is shown this once.${until}`,
  );
  return exitCode.ok;
};

const list: Action = async (argv, access) => {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals[0] !== undefined) throw new UsageProblem(`list takes no argument such as "${positionals[0]}".`);
  const all = access.list();
  if (values.json) {
    await writeLine(process.stdout, jsonText(all.map(shownJson)));
  } else if (all.length === 0) {
    await writeLine(process.stderr, 'There are no tokens. helve serve tokens add NAME --role run makes one.');
  } else {
    const rows = all.map((one) => [
      one.name,
      one.role,
      one.project ?? '',
      day(one.created),
      expiryWords(one),
      browserWords(one),
    ]);
    await writeLine(
      process.stdout,
      table([['NAME', 'ROLE', 'PROJECT', 'ADDED', 'EXPIRES', 'BROWSERS'], ...rows]).join('\n'),
    );
  }
  return exitCode.ok;
};

const revoke: Action = async (argv, access) => {
  const { positionals } = readArgs(argv, {});
  const name = onlyName(positionals, 'revoke');
  if (await access.revoke(name)) {
    await writeLine(process.stdout, `Revoked ${visible(name)}. Its connections are closed.`);
    return exitCode.ok;
  }
  await writeLine(process.stderr, `helve: There is no token "${visible(name)}". helve serve tokens list shows them.`);
  return exitCode.failed;
};

const actions: Readonly<Record<string, Action>> = { add, list, revoke };

function onlyName([name, more]: readonly string[], action: string): string {
  if (name !== undefined && more === undefined) return name;
  throw new UsageProblem(`helve serve tokens ${action} takes one name. ${USAGE}`);
}

const units = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

function readTime(given: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(given) ?? [];
  const found = unit === 'm' || unit === 'h' || unit === 'd' ? units[unit] : undefined;
  if (found !== undefined) return Number(count) * found;
  throw new UsageProblem(`--expires takes a time such as 30m, 12h or 90d, but was "${given}".`);
}

const day = (time: number): string => new Date(time).toISOString().slice(0, 10);

function expiryWords({ expires }: ListedToken): string {
  if (expires === undefined) return 'never';
  return expires <= Date.now() ? 'has expired' : new Date(expires).toISOString().slice(0, 16).replace('T', ' ');
}

const browserWords = ({ isBrowser, browsers }: ListedToken): string =>
  isBrowser ? 'signed in by a code' : browsers === 0 ? '' : String(browsers);

const shownJson = ({ created, expires, id: _, ...rest }: ListedToken) => ({
  ...rest,
  created: new Date(created).toISOString(),
  expires: expires === undefined ? null : new Date(expires).toISOString(),
});

import { expect, test } from 'vitest';
import type { Effect } from '../contract/effect.js';
import { toolTable } from '../tools/index.js';
import { describeConfinement, type PolicySandbox } from './sandboxed-call.js';

const tools = toolTable();

const sandbox: PolicySandbox = {
  works: true,
  allows: false,
  excluded: ['docker'],
  network: 'off',
  mode: 'workspace',
  required: false,
};
const make: Effect[] = [{ kind: 'command', text: 'make', argv: ['make'], harmless: false }];
const docker: Effect[] = [{ kind: 'command', text: 'docker ps', argv: ['docker', 'ps'], harmless: false }];
const copyTo = (path: string): Effect[] => [
  { kind: 'command', text: 'cp a b', argv: ['cp', 'a', 'b'], harmless: false },
  { kind: 'file', access: 'write', path, real: path, by: { command: 0, as: 'operand' } },
];

test.each<[string, Effect[], PolicySandbox | undefined, object]>([
  ['Runs without a sandbox.', make, undefined, {}],
  ['Runs without a sandbox.', make, sandbox, { dangerouslyDisableSandbox: true }],
  ['Runs without a sandbox: none works here.', make, { ...sandbox, works: false }, {}],
  [
    'Will not run: settings require a sandbox, and none works here.',
    make,
    { ...sandbox, works: false, required: true },
    {},
  ],
  ['Runs without a sandbox: settings exclude this command from it.', docker, sandbox, {}],
  ['Runs in the sandbox: no network, writes only in the project.', make, sandbox, {}],
  ['Runs in the sandbox: no network, writes only in the project.', copyTo('/p/b'), sandbox, {}],
  ['Runs in the sandbox: no network, writes only in the project and the files named here.', copyTo('/q'), sandbox, {}],
  [
    'Runs in the sandbox: network only to allowed hosts, writes only in the project.',
    make,
    { ...sandbox, network: 'hosts' },
    {},
  ],
  ['Runs in the sandbox: no network, writes only in the project.', make, { ...sandbox, mode: 'effects' }, {}],
  [
    'Runs in the sandbox: no network, writes only the files named here.',
    copyTo('/p/b'),
    { ...sandbox, mode: 'effects' },
    {},
  ],
])('describes the confinement: %s', (words, effects, given, input) => {
  const request = { tool: 'Bash', input, effects };
  expect(describeConfinement(request, { sandbox: given, walls: 'full', workspace: ['/p'], tools })).toBe(words);
  expect(
    describeConfinement({ ...request, tool: 'Other' }, { sandbox: given, workspace: ['/p'], tools }),
  ).toBeUndefined();
});

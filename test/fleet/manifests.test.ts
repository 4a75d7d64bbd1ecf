import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isObject } from '../../src/platform/is-object.js';
import { counterpart } from '../counterparts.js';

const schemas = counterpart('test-tools', 'kubernetes-models/_schemas');
const text = readFileSync('examples/fleet/kubernetes.yaml', 'utf8');

interface Manifest {
  apiVersion: string;
  kind: string;
  spec: { template?: { spec: { containers: Array<{ args: string[] }>; terminationGracePeriodSeconds?: number } } };
}

const isManifest = (value: unknown): value is Manifest => isObject(value) && 'kind' in value && 'spec' in value;

const manifests = parseAllDocuments(text, { strict: true }).map((document) => {
  expect(document.errors).toEqual([]);
  const value: unknown = document.toJS();
  if (!isManifest(value)) throw new Error('no manifest');
  return value;
});

describe.skipIf(!schemas.isThere)('the Kubernetes manifests', () => {
  test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    '%s fits its schema',
    async (kind, manifest) => {
      const validate = await validatorOf(manifest);
      expect([validate(manifest), validate.errors]).toEqual([true, null]);
      expect(validate({ ...manifest, spec: 'wrong' })).toBe(false); // it is checked at all
      expect(kind).toBe(manifest.kind);
    },
  );
});

if (!schemas.isThere) test.skip(schemas.missing, () => {});

interface Validator {
  (value: unknown): boolean;
  errors: unknown;
}

async function validatorOf({ apiVersion, kind }: Manifest): Promise<Validator> {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const names = { core: 'Core', apps: 'Apps', policy: 'Policy', 'networking.k8s.io': 'Networking' };
  const name = Object.entries(names).find(([one]) => one === group)?.[1];
  const file = `IoK8sApi${name}${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}.js`;
  if (!readdirSync(schemas.path).includes(file)) throw new Error(`${schemas.path} has no ${file}`);
  return (await import(pathToFileURL(join(schemas.path, file)).href)).validate;
}

test('workers on Kubernetes are given options that exist, and more time than they need to drain', () => {
  const options = manifests
    .flatMap(({ spec }) => spec.template?.spec ?? [])
    .map(({ containers, terminationGracePeriodSeconds }) => {
      const args = containers[0]?.args ?? [];
      const drain = args.includes('--drain') ? Number(args[args.indexOf('--drain') + 1]) : undefined;
      return {
        command: args[0] ?? '',
        flags: args.filter((word) => word.startsWith('--')),
        drain,
        terminationGracePeriodSeconds,
      };
    });
  expect(options.map(({ command }) => command)).toEqual(['worker', 'serve']);
  for (const { command, flags, drain, terminationGracePeriodSeconds } of options) {
    const help = execFileSync(process.execPath, ['bin/helve.cjs', command, '--help'], { encoding: 'utf8' });
    expect(flags.filter((flag) => !help.includes(`${flag} `))).toEqual([]);
    if (drain !== undefined) expect(drain).toBeLessThan(terminationGracePeriodSeconds ?? 30);
  }
});

test('the script for Debian is a valid script', () => {
  execFileSync('sh', ['-n', 'examples/fleet/debian.sh']);
});

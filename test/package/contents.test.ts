// What the tarball holds, and what it brings along.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { INSTALL_MS, type InstalledPackage, installedPackage } from './pack-once.js';

const MAX_MEGABYTES = 70; // with the optional package for pictures, which is half of it
const MAX_PACKAGES = 110;

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installedPackage();
}, INSTALL_MS);

test('the tarball holds the program, its types and its documents, and nothing else', () => {
  const paths = installed.files.map(({ path }) => path);
  const expected =
    /^(?:dist\/web\/(?:index\.html|assets\/[\w-]+\.(?:js|css|svg))|bin\/[\w-]+\.[cm]js|dist\/(?:chunks\/)?[\w@.-]+\.[cm]js|dist\/types\/.+\.d\.ts|docs\/.+\.(?:md|json|svg|png)|examples\/.+)$/;
  const others = paths.filter((path) => !expected.test(path)).sort();
  expect(others).toEqual([
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist/THIRD-PARTY-NOTICES.txt',
    'package.json',
  ]);
  expect(paths.filter((path) => /^(?!examples\/).*\.test\.|\.map$/.test(path))).toEqual([]);
});

test('an install stays below its size limit, with optional packages', () => {
  const modules = join(installed.folder, 'node_modules');
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(MAX_PACKAGES);
  expect(Object.keys(lock.packages)).toContain('node_modules/sharp');
  expect(bytesBelow(modules) / 1e6).toBeLessThanOrEqual(MAX_MEGABYTES);
});

test('everything that the type declarations import is in the package or its dependencies', () => {
  const folder = join(installed.folder, 'node_modules/helve');
  const { exports, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) => types ?? []);
  const reached = declarationsFrom(entries.map((entry) => join(folder, entry)));
  expect([...reached.files].filter((path) => !existsSync(path))).toEqual([]);
  const known = [...Object.keys(dependencies), 'node:'];
  expect([...reached.packages].filter((name) => !known.some((start) => name.startsWith(start)))).toEqual([]);
  const packed = installed.files.filter(({ path }) => path.endsWith('.d.ts')).map(({ path }) => join(folder, path));
  expect(packed.filter((path) => !reached.files.has(path))).toEqual([]);
});

test('the package has no script at which npm warns when it is installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(installed.folder, 'node_modules/helve/package.json'), 'utf8'));
  const atInstall = /^(?:pre|post)?(?:install|prepare)$|^prepublish$/;
  expect(Object.keys(scripts).filter((name) => atInstall.test(name))).toEqual([]);
});

test('each package whose code is in the bundle is named with its licence', () => {
  const notices = readFileSync(join(installed.folder, 'node_modules/helve/dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(notices).toContain(`\nzod ${JSON.parse(readFileSync('package.json', 'utf8')).dependencies.zod} (MIT)\n`);
  expect(notices).toContain(`\nunbash ${devDependencies.unbash} (ISC)\n`);
  expect(notices).toContain(`\n@modelcontextprotocol/client ${devDependencies['@modelcontextprotocol/client']} (`);
  expect(notices).not.toContain('\nvitest ');
});

test('the lock file contains no registry address', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const withAddress = Object.entries<{ resolved?: string }>(packages).filter(
    ([, { resolved }]) => resolved !== undefined,
  );
  expect(withAddress.map(([name]) => name)).toEqual([]);
});

function bytesBelow(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (path) => lstatSync(join(folder, path)).size,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function declarationsFrom(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const [files, packages] = [new Set<string>(), new Set<string>()];
  const follow = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    if (!existsSync(path)) return;
    const imports = readFileSync(path, 'utf8').matchAll(/(?:\bfrom |\bimport\(|\bimport )["']([^"']+)["']/g);
    for (const [, target = ''] of imports) {
      if (target.startsWith('.')) follow(join(dirname(path), target.replace(/\.js$/, '.d.ts')));
      else packages.add(target);
    }
  };
  for (const entry of entries) follow(entry);
  return { files, packages };
}

// What a browser loads of the web view.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const MAX_PAGE = 60_000; // bytes, compressed, of what shows the list and a session with its questions and diffs
const MAX_ALL = 74_000; // with the colours of code and all other pages

const folder = 'dist/web';
const assets = readdirSync(join(folder, 'assets'));
const asset = (start: string): string => assets.find((name) => name.startsWith(start)) ?? `there is no ${start}`;
const read = (name: string): string => readFileSync(join(folder, 'assets', name), 'utf8');
const size = (paths: Iterable<string>): number =>
  [...paths].reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path)), { level: 9 }).length, 0);

/** The script with those that it imports at once. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ''] of read(name).matchAll(/(?:\bimport|\bfrom)\s*"\.\/([^"]+)"/g))
    withImports(imported, found);
  return found;
}

test('a session with its questions and diffs is below its size limit, and so is all of the web view', () => {
  const session = withImports(asset('helve-'));
  const page = [...session, asset('style-'), 'icon.svg'].map((name) => `assets/${name}`);
  expect(session.size).toBeGreaterThan(1); // else the reading of imports is broken
  expect(size(['index.html', ...page])).toBeLessThanOrEqual(MAX_PAGE);
  expect(size(['index.html', ...assets.map((name) => `assets/${name}`)])).toBeLessThanOrEqual(MAX_ALL);
});

test('the page has no inline script or style, and names no other host', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src="\/assets\/)|\son\w+=/);
  const texts = [html, ...assets.map(read)].join('\n');
  const hosts = [...texts.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
  // Names of formats, and examples in error messages of the Markdown parser.
  expect([...new Set(hosts)].filter((host) => host !== 'www.w3.org' && host !== 'github.com')).toEqual([]);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conversationFlags, engineFlags, worktreeFlags } from '../args.js';
import { help } from '../help.js';
import { hostFlags } from '../host-flags.js';
import { telemetryFlags } from '../telemetry-flags.js';
import { helpPages } from './pages.js';

const folder = join(import.meta.dirname, '..');

/** The flags that the code of a command mentions: there is no other way to find a flag that is read but not declared. */
function flagsOf(command: string): Set<string> {
  const code = sourcesOf(command)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const own = [...code.matchAll(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'(?:, short: '(\w)')?/g)];
  return new Set([
    ...own.flatMap(([, name = '', short]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
    ...(/\.\.\.(?:conversation|session)Flags/.test(code)
      ? Object.keys(conversationFlags).map((name) => `--${name}`)
      : []),
    ...(/\.\.\.(?:worktree|session)Flags/.test(code)
      ? [...Object.keys(worktreeFlags).map((name) => `--${name}`), '-w']
      : []),
    ...(code.includes('...engineFlags') ? Object.keys(engineFlags).map((name) => `--${name}`) : []),
    ...(code.includes('...telemetryFlags') ? Object.keys(telemetryFlags).map((name) => `--${name}`) : []),
  ]);
}

function sourcesOf(command: string): string[] {
  if (command === '-p') return [join(folder, 'run-flags.ts')];
  const inner = join(folder, command);
  const below = existsSync(inner) ? readdirSync(inner).map((name) => join(inner, name)) : [];
  return [join(folder, `${command}.ts`), ...below.filter((path) => /(?<!\.test)\.ts$/.test(path))];
}

const wordsOf = (page: string): Set<string> => new Set(page.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g));

test.each(Object.keys(helpPages))('the page of %s has every flag that the command takes', (command) => {
  const told = wordsOf(helpPages[command] ?? '');
  expect([...flagsOf(command)].filter((flag) => !told.has(flag))).toEqual([]);
});

test.each(Object.keys(helpPages))('the page of %s names no unknown flag', (command) => {
  const anywhere = new Set(Object.keys(helpPages).flatMap((name) => [...flagsOf(name)]));
  const known = new Set([...flagsOf(command), ...(command === 'mcp' || command === '-p' ? [] : anywhere), '-p', '-x']);
  // The page names the flags of hosts that a person may use; docs/guides/run-under-agent-sdk.md has the others.
  if (command === '-p') for (const name of Object.keys(hostFlags)) known.add(`--${name}`);
  expect([...wordsOf(helpPages[command] ?? '')].filter((flag) => !known.has(flag))).toEqual([]);
});

test('every command that main knows has a page, and the short form names it', () => {
  const code = readFileSync(join(folder, 'main.ts'), 'utf8');
  const commands = [...code.matchAll(/^ {2}(\w+): async \(\) => \(await import/gm)].map(([, name]) => name);
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((name) => name === undefined || helpPages[name] === undefined)).toEqual([]);
  expect(commands.filter((name) => !help.includes(`helve ${name}`))).toEqual([]);
});

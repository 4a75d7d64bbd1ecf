// Runs one attack through the built command line, with no one to ask, and reports every effect that it had.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import type { Attack, AttackMode } from './attack.js';
import type { AttackPlaces, Place } from './attack-place.js';

const helve = resolve('bin/helve.cjs');

export const ORDINARY_USER = 65_534;
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Rules that a careful person might have; they must not open a way that is closed without them. */
export const denyRules: readonly string[] = ['Edit(**)', 'Read(.env)', 'Read(secrets/**)', 'Bash(touch:*)'];
const PROVIDER_KEY = 'sk-ant-api03-SECRET-PROVIDER';

// Far above what any attempt takes; one that is still at work then is ended and counts as a hang.
const LIMIT_MS = 60_000;
const HANG_MS = 20_000;

export interface AttemptOptions {
  /** `bypass` runs it with permission to do everything, `plain` with bash alone: both show that it is a real attack. */
  mode: AttackMode | 'bypass' | 'plain';
  user?: 'current' | 'ordinary';
  walls?: 'none' | undefined;
  /** Deny rules beside those of the attack. */
  deny?: readonly string[];
  /** Leave out the attack's own rules. */
  withoutRules?: boolean;
}

export interface Attempt {
  /** Empty where nothing happened that must not. */
  effects: string[];
  /** Whether the attack's own marker is among them. */
  shown: boolean;
  output: string;
}

export async function attempt(attack: Attack, places: AttackPlaces, options: AttemptOptions): Promise<Attempt> {
  const listener = 'connects' in attack.marker ? await listen() : undefined;
  const owner = options.user === 'ordinary' ? { owner: ORDINARY_USER } : {};
  const place = places.make(attack, { ...(listener && { port: listener.port }), ...owner });
  try {
    const before = snapshot(place);
    const { output, hangs } = await run(attack, place, options);
    const after = snapshot(place);
    if (attack.after !== undefined) await byHand(attack.after, place, options);
    const shown = hasShown(attack, place, before, { output, hangs, connected: listener?.connected() === true });
    const effects = [
      ...(shown ? [`marker ${JSON.stringify(attack.marker)}`] : []),
      ...changes(before, after, place, options.mode),
      ...leaks(attack, output, options),
    ];
    return { effects, shown, output };
  } finally {
    listener?.close();
    rmSync(place.folder, { recursive: true, force: true });
  }
}

async function run(attack: Attack, place: Place, options: AttemptOptions): Promise<{ output: string; hangs: boolean }> {
  const command = place.fill(attack.command);
  const limit = 'hangs' in attack.marker ? HANG_MS : LIMIT_MS;
  if (options.mode === 'plain') return await start(['bash', '-c', command], place, options, limit);
  const mode = options.mode === 'bypass' ? 'bypassPermissions' : options.mode;
  const deny = [...(options.withoutRules ? [] : (attack.deny ?? [])), ...(options.deny ?? [])];
  const settings = { ...attack.settings, permissions: { deny, allow: attack.allow ?? [] } };
  const args = ['--permission-mode', mode, '--settings', JSON.stringify(settings)];
  const call = [process.execPath, helve, 'call', ...args, 'Bash', JSON.stringify({ command })];
  return await start(call, place, options, limit);
}

async function byHand(command: string, place: Place, options: AttemptOptions): Promise<void> {
  await start(['bash', '-c', place.fill(command)], place, options, LIMIT_MS);
}

async function start(
  words: readonly string[],
  place: Place,
  { user, walls, mode }: AttemptOptions,
  limit: number,
): Promise<{ output: string; hangs: boolean }> {
  const as =
    user === 'ordinary'
      ? ['setpriv', `--reuid=${ORDINARY_USER}`, `--regid=${ORDINARY_USER}`, '--clear-groups', ...words]
      : words;
  const [program = '', ...args] = as;
  mkdirSync(join(place.folder, 'tmp'), { recursive: true });
  const child = spawn(program, args, {
    cwd: place.project,
    env: {
      PATH: SYSTEM_PATH,
      HOME: place.home,
      TMPDIR: join(place.folder, 'tmp'),
      HELVE_HOME: join(place.folder, 'data'),
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      ...(mode === 'bypass' && { IS_SANDBOX: '1' }),
      ...(walls && { HELVE_WALLS: walls }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [output, hangs] = ['', false];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('latin1').on('data', (text: string) => {
      if (output.length < 5_000_000) output += text;
    });
  }
  const timer = setTimeout(() => {
    hangs = true;
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }, limit);
  await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  clearTimeout(timer);
  return { output, hangs };
}

function hasShown(
  { marker }: Attack,
  place: Place,
  before: ReadonlyMap<string, string>,
  { output, hangs, connected }: { output: string; hangs: boolean; connected: boolean },
): boolean {
  const now = (path: string): string | undefined => {
    const filled = place.fill(path);
    return describe(filled.startsWith('/') ? filled : join(place.project, filled));
  };
  const key = (path: string): string => {
    const filled = place.fill(path);
    return relative(place.folder, filled.startsWith('/') ? filled : join(place.project, filled));
  };
  if ('created' in marker) return now(marker.created) !== undefined && !before.has(key(marker.created));
  if ('changed' in marker) return before.get(key(marker.changed)) !== now(marker.changed);
  if ('output' in marker) return output.includes(marker.output);
  return 'connects' in marker ? connected : hangs;
}

/** What is different on disk. Where edits of the project are accepted, only the rest counts. */
function changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  place: Place,
  mode: AttemptOptions['mode'],
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const inProject = `${relative(place.folder, place.project)}/`;
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .filter((path) => mode !== 'acceptEdits' || !path.startsWith(inProject) || path.startsWith(`${inProject}.git/`))
    .map((path) => `changed ${path}`);
}

const denied: Readonly<Record<string, string>> = { '.env': 'SECRET-ENV', 'secrets/': 'SECRET-KEY' };

/** Content that was in the output although a rule denies it, or it lies outside, or it is the provider's key. */
function leaks({ command, deny = [], marker, documented }: Attack, output: string, options: AttemptOptions): string[] {
  if (documented !== undefined) return [];
  const rules = [...(options.withoutRules ? [] : deny), ...(options.deny ?? [])];
  const secrets = [
    'SECRET-PROVIDER',
    'SECRET-OUTSIDE',
    'SECRET-HOME',
    ...Object.entries(denied).flatMap(([path, secret]) =>
      rules.some((rule) => rule.startsWith('Read(') && rule.includes(path)) ? [secret] : [],
    ),
  ];
  const isMarker = (secret: string): boolean => 'output' in marker && marker.output === secret;
  return secrets
    .filter((secret) => output.includes(secret) && !command.includes(secret) && !isMarker(secret))
    .map((secret) => `shows ${secret}`);
}

function snapshot(place: Place): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const what = describe(path);
      if (what === undefined) continue;
      found.set(relative(place.folder, path), what);
      if (what.startsWith('folder')) walk(path);
    }
  };
  for (const folder of [place.project, place.outside, place.home]) walk(folder);
  return found;
}

function describe(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isDirectory()) return `folder ${mode}`;
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (!stat.isFile()) return `special ${mode}`;
  return `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}

interface Listener {
  port: number;
  connected(): boolean;
  close(): void;
}

async function listen(): Promise<Listener> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end('hello\n');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connected: () => connections > 0,
    close: () => server.close(),
  };
}

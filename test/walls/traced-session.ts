// Runs commands one after the other in one session of the built command line, under strace, and reports what each of
// them wrote, connected to or opened of the bait.
import { spawn } from 'node:child_process';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Place } from './attack-place.js';
import { SYSTEM_PATH } from './attempt.js';

const helve = resolve('bin/helve.cjs');

const CALLS = [
  ...['execve', 'clone', 'clone3', 'fork', 'vfork', 'open', 'openat', 'openat2', 'creat', 'connect'],
  ...['rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir', 'mkdir', 'mkdirat', 'link', 'linkat'],
  ...['symlink', 'symlinkat', 'truncate', 'chmod', 'fchmodat', 'chown', 'lchown', 'fchownat', 'mknod', 'mknodat'],
  ...['utimensat', 'utime', 'utimes', 'setxattr', 'lsetxattr', 'removexattr', 'lremovexattr'],
];

// A command that waits for something is ended; what it did until then counts.
const COMMAND_MS = 3_000;

export interface TracedSession {
  /** What must not have happened, each with the command that did it. */
  effects: string[];
  /** How many of the commands ran rather than being refused. */
  ran: number;
}

export interface TraceOptions {
  walls?: 'none' | undefined;
  deny: readonly string[];
  allow?: readonly string[];
  /** Text of denied files; in an output it shows that one was read. */
  secrets: readonly string[];
}

export async function traceSession(
  commands: readonly string[],
  place: Place,
  { walls, deny, allow = [], secrets }: TraceOptions,
): Promise<TracedSession> {
  const log = join(place.folder, 'trace');
  // Helve reads a file of its own before each command, which tells the commands apart in the trace.
  const marks = join(place.folder, 'marks');
  mkdirSync(marks);
  for (const index of commands.keys()) writeFileSync(join(marks, `${index}`), '');
  const settings = JSON.stringify({ permissions: { deny, allow: [...allow, `Read(/${marks}/**)`] } });
  const trace = CALLS.map((name) => `?${name}`).join(',');
  const tracing = ['-f', '--seccomp-bpf', '-q', '-y', '-s', '200', '--decode-pids=pidns', '-e', 'signal=none'];
  const call = [process.execPath, helve, 'call', '--stdin', '--settings', settings];
  const child = spawn('strace', [...tracing, '-e', `trace=${trace}`, '-o', log, ...call], {
    cwd: place.project,
    env: {
      PATH: SYSTEM_PATH,
      HOME: place.home,
      TMPDIR: join(place.folder, 'tmp'),
      HELVE_HOME: join(place.folder, 'data'),
      LANG: 'C.UTF-8',
      ...(walls && { HELVE_WALLS: walls }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let problems = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problems = (problems + text).slice(-2_000);
  });
  child.stdin.on('error', () => {}); // it may end early; the number of answers tells
  child.stdin.end(
    commands
      .flatMap((command, index) => [
        { tool: 'Read', input: { file_path: join(marks, `${index}`) } },
        { id: String(index), tool: 'Bash', input: { command, timeout: COMMAND_MS } },
      ])
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const ended = new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  const effects: string[] = [];
  let [ran, answers] = [0, 0];
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, tool, content } = JSON.parse(line) as Answer;
    if (tool === 'Read') continue;
    answers += 1;
    const text = JSON.stringify(content);
    if (!text.startsWith('"Bash was not run')) ran += 1;
    for (const secret of secrets) if (text.includes(secret)) effects.push(`${commands[Number(id)]} -> shows ${secret}`);
  }
  await ended;
  if (answers !== commands.length) throw new Error(`${answers} answers for ${commands.length}: ${problems}`);
  return { effects: [...effects, ...(await readTrace(log, commands, place, walls))], ran };
}

/** A line of `helve call --stdin`. */
interface Answer {
  id: string;
  tool: string;
  content: unknown;
}

/** Programs that prepare what a command runs in, and what Helve starts for itself: not the command's doing. */
const preparing = /\/(node|bwrap|unshare|setpriv|nsenter|strace|mkfifo)$|^helper:/;
const shell = /\/bash$/;

interface TracedCall {
  pid: string;
  name: string;
  args: string;
  result: string;
}

/** The calls in the order in which they ended; the end of a process is one called `exit`. */
async function readCalls(log: string): Promise<TracedCall[]> {
  const calls: TracedCall[] = [];
  const unfinished = new Map<string, string>();
  for await (const whole of createInterface({ input: createReadStream(log) })) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/s.exec(whole) ?? [];
    if (rest.startsWith('+++')) {
      calls.push({ pid, name: 'exit', args: '', result: '' });
      continue;
    }
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(pid, rest.slice(0, -'<unfinished ...>'.length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest)?.[1];
    const line = resumed === undefined ? rest : (unfinished.get(pid) ?? '') + resumed;
    const [, name, args = '', result = ''] = /^(\w+)\((.*)\)\s+= (.*)$/s.exec(line) ?? [];
    if (name !== undefined) calls.push({ pid, name, args, result });
  }
  return calls;
}

const startsProcess = /^(clone|clone3|fork|vfork)$/;

const startedBy = ({ name, result }: TracedCall): string | undefined =>
  startsProcess.test(name)
    ? (/\/\* (\d+) in strace's PID NS \*\//.exec(result)?.[1] ?? /^\d+/.exec(result)?.[0])
    : undefined;

async function readTrace(
  log: string,
  commands: readonly string[],
  place: Place,
  walls: TraceOptions['walls'],
): Promise<string[]> {
  const calls = await readCalls(log);
  const births = new Map<string, { at: number; parent: string }[]>();
  for (const [at, call] of calls.entries()) {
    const child = startedBy(call);
    if (child !== undefined) births.set(child, [...(births.get(child) ?? []), { at, parent: call.pid }]);
  }
  const programs = new Map<string, string>(); // what each process runs
  /** A child may be seen before the call that made it has returned. */
  const programOf = (pid: string, at: number): string => {
    const known = programs.get(pid);
    if (known !== undefined) return known;
    const birth = births.get(pid)?.find((one) => one.at > at);
    const program = birth === undefined ? '/node' : programOf(birth.parent, at);
    programs.set(pid, program);
    return program;
  };
  const effects = new Set<string>();
  let current = -1;
  for (const [at, call] of calls.entries()) {
    const { pid, name, args, result } = call;
    const program = programOf(pid, at);
    const child = startedBy(call);
    if (child !== undefined && !programs.has(child)) programs.set(child, program);
    if (name === 'exit') programs.delete(pid);
    if (name === 'execve' && result.startsWith('0')) {
      const started = /^"([^"]*)"/.exec(args)?.[1] ?? '';
      const isHelper = preparing.test(program) && !preparing.test(started) && !shell.test(started);
      programs.set(pid, isHelper ? `helper:${started}` : started);
    }
    // A call that starts a process has no result where its thread was ended meanwhile.
    if (startsProcess.test(name) || name === 'exit' || name === 'execve') continue;
    if (preparing.test(program)) {
      const mark = /\/marks\/(\d+)", O_RDONLY/.exec(args)?.[1];
      if (mark !== undefined) current = Number(mark);
      continue;
    }
    const effect = effectOf(name, args, result, { program, place, walls });
    if (effect !== undefined) effects.add(`${commands[current] ?? 'before any command'} -> ${program}: ${effect}`);
  }
  return [...effects];
}

const writeFlags = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/;
const noFile =
  /^\/dev\/(null|zero|full|tty|pts\/\d+|fd\/\d+|std(in|out|err))$|^\/proc\/(self|\d+)\/|^(pipe|socket|anon_inode):/;

function effectOf(
  name: string,
  args: string,
  result: string,
  { program, place, walls }: { program: string; place: Place; walls: TraceOptions['walls'] },
): string | undefined {
  const failed = result.startsWith('-1');
  if (name === 'connect') {
    const isRefusedByKernel = /EACCES|EPERM|ENETUNREACH|EAFNOSUPPORT/.test(result);
    const isLocal = args.includes('AF_UNIX');
    return isRefusedByKernel || (isLocal && failed) ? undefined : `connect(${args}) = ${result}`;
  }
  if (failed) return undefined;
  const path = pathOf(args, result);
  // Each command has a temporary folder that nothing else looks at.
  const isPrivate = [join(place.folder, 'tmp'), join(place.folder, 'data'), '/tmp', '/var/tmp', '/dev/shm'].some(
    (folder) => path.startsWith(`${folder}/`) && !path.startsWith(`${place.project}/`),
  );
  if (/^open|^creat/.test(name)) {
    // A hidden file can be opened and is empty; and git compares files that it does not show.
    const isBait = walls === 'none' && !program.endsWith('/git') && /\/(\.env|secrets\/key\.\w+)$/.test(path);
    if (isBait) return `opened ${path}`;
    if (name !== 'creat' && !writeFlags.test(args)) return undefined;
    const isDirectory = /O_DIRECTORY/.test(args) && !/O_TMPFILE/.test(args);
    return isDirectory || isPrivate || noFile.test(path) ? undefined : `${name}(${args}) = ${result}`;
  }
  return isPrivate ? undefined : `${name}(${args}) = ${result}`;
}

/** By the descriptor that was opened, else by the words of the call. */
function pathOf(args: string, result: string): string {
  const opened = /^\d+<([^>]*)>/.exec(result)?.[1];
  if (opened !== undefined) return opened;
  const [, folder = '', name = ''] = /^(?:[\w-]+<([^>]*)>, )?"([^"]*)"/.exec(args) ?? [];
  return name.startsWith('/') ? name : join(folder, name);
}

// Runs commands for real, with the kernel as the witness: confined by bubblewrap in a folder of bait, under strace. What
// they open, change, start or connect to is compared with what the analysis says they would.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Effect, FileEffect } from '../../src/contract/effect.js';
import { realPathSync } from '../../src/platform/files/paths.js';

export interface Observed {
  command: string;
  /** Files below the folder of bait that were opened for reading, by their real names. */
  reads: string[];
  /** What was changed, started or reached. */
  acts: string[];
}

const bait: Readonly<Record<string, string>> = {
  'a.txt': 'a b c\nd e f\n3 2 1\na b c\n',
  'b.txt': 'a b c\nx\n',
  '.env': 'KEY=secret\n',
  'secrets/key': 'secret\n',
  'src/a.txt': 'hello\n',
  'src/deep/b.txt': 'world\n',
  list: '.env\0secrets/key',
  lines: '.env\nsecrets/key\n',
  sums: 'd41d8cd98f00b204e9800998ecf8427e  .env\n',
  'a.json': '{"a":1,"b":[1,2]}\n',
  'run.sh': '#!/bin/sh\ntouch ran\n',
};

/** A folder with files that must not be read or changed unless the analysis says so. */
export function baitFolder(): string {
  const folder = realPathSync(mkdtempSync(join(tmpdir(), 'helve-bait-')));
  for (const name of ['secrets', 'src/deep', 'home']) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, content] of Object.entries(bait)) writeFileSync(join(folder, name), content, { mode: 0o755 });
  writeFileSync(join(folder, 'a.gz'), gzipSync('hello\n'));
  symlinkSync('.env', join(folder, 'link'));
  return folder;
}

const confined = (folder: string, logs: string): string[] => [
  ...'--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp'.split(' '),
  ...['--bind', folder, folder, '--bind', logs, logs, '--chdir', folder],
  ...'--unshare-net --unshare-pid --die-with-parent --new-session --'.split(' '),
];

/** Why nothing can be observed here, or undefined where it can. */
export function whyNotObservable(): string | undefined {
  if (process.platform !== 'linux') return 'bubblewrap is for Linux';
  const works = (command: string, args: string[]): boolean =>
    spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  const folder = mkdtempSync(join(tmpdir(), 'helve-bait-'));
  try {
    if (!works('bwrap', [...confined(folder, folder), 'true'])) return 'bubblewrap does not run here';
    return works('bwrap', [...confined(folder, folder), 'strace', '-f', 'true'])
      ? undefined
      : 'strace does not run here';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const calls =
  'openat,open,creat,openat2,execve,execveat,connect,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,futimesat,mknod,mknodat,setxattr,fsetxattr,kill,settimeofday,clock_settime,sethostname';

// Each command gets a log of its own, and none may go on for long.
const driver = `n=0
while IFS= read -r -d '' command; do
  n=$((n+1))
  timeout -s KILL "$1" strace -f -y -s 400 -e signal=none -e trace=${calls} -o "$0/$n" \\
    bash --noprofile --norc -c "$command" < /dev/null > /dev/null 2>&1
done`;

/** Runs each command in the folder, one after the other. */
export function runObserved(folder: string, commands: readonly string[], seconds = 5): Observed[] {
  const logs = realPathSync(mkdtempSync(join(tmpdir(), 'helve-logs-')));
  const { PATH = '' } = process.env;
  const { status, stderr } = spawnSync(
    'bwrap',
    [...confined(folder, logs), 'bash', '-c', driver, logs, String(seconds)],
    {
      input: commands.map((command) => `${command}\0`).join(''),
      env: { PATH, HOME: join(folder, 'home'), LC_ALL: 'C.UTF-8', TERM: 'dumb', BAIT_KEY: 'secret' },
      encoding: 'utf8',
    },
  );
  if (status !== 0 && readdirSync(logs).length < commands.length) throw new Error(`bubblewrap failed: ${stderr}`);
  const observed = commands.map((command, index) =>
    observe(command, folder, readFileSync(join(logs, String(index + 1)), 'utf8')),
  );
  rmSync(logs, { recursive: true });
  return observed;
}

// Programs that are a script around another, or that start another by what they are.
const helpers: Readonly<Record<string, RegExp>> = {
  egrep: /^(sh|dash|grep)$/,
  fgrep: /^(sh|dash|grep)$/,
  zcat: /^(sh|dash|bash|gzip)$/,
  which: /^(sh|dash|which\.debianutils)$/,
  sdiff: /^(diff)$/,
  colordiff: /^(perl|diff)$/,
  shasum: /^perl$/,
  yq: /^(python3[\d.]*|jq|env)$/,
  awk: /^(mawk|gawk|original-awk)$/,
};

function observe(command: string, folder: string, log: string): Observed {
  const reads = new Set<string>();
  const acts = new Set<string>();
  const [program = ''] = command.split(' ');
  for (const line of log.split('\n')) {
    const [, call = '', args = '', result = ''] = /^\d+ +(?:<\.\.\. )?(\w+)(.*) = (-?\d+.*)$/.exec(line) ?? [];
    // Whether an attempt to connect fails depends on the network, which the commands do not have here.
    if (call === '' || (result.startsWith('-1') && call !== 'connect')) continue;
    if (/^(open|creat)/.test(call)) {
      const path = /^\d+<(.*)>/.exec(result)?.[1] ?? '';
      const writes = call === 'creat' || /O_(WRONLY|RDWR|CREAT|TRUNC)/.test(args);
      if (writes && !/^\/dev\/(null|tty|pts\/.*)$/.test(path) && !path.startsWith('/tmp/')) acts.add(`writes ${path}`);
      if (writes && path.startsWith(folder)) acts.add(`writes ${path}`);
      if (!writes && !args.includes('O_PATH') && isBelow(folder, path)) reads.add(path);
    } else if (call.startsWith('execve')) {
      const name = basename(/"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? '');
      if (!['bash', program].includes(name) && !helpers[program]?.test(name)) acts.add(`runs ${name}`);
    } else if (call === 'connect') {
      if (!/AF_UNIX|AF_NETLINK/.test(args)) acts.add(`connects ${args}`);
    } else if (!(/unlink/.test(call) && args.includes('"/tmp/'))) acts.add(`${call}${args}`);
  }
  return { command, reads: [...reads], acts: [...acts] };
}

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The files that were read without being declared. */
export function undeclaredReads(observed: Observed, effects: readonly Effect[], folder: string): string[] {
  if (observed.command.startsWith('df ')) return []; // opens what it is given, so that it gets mounted, and reads nothing
  const declared = effects.filter((effect): effect is FileEffect => effect.kind === 'file');
  return observed.reads.filter((path) => {
    const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (path === folder && isFolder) return false; // where it runs
    if (/^\.(gitignore|ignore|rgignore|fdignore)$|^\.colordiffrc$/.test(basename(path))) return false;
    return !declared.some((effect) => covers(effect, path, isFolder));
  });
}

function covers(
  { path, real, tree, listing, pattern, unresolved }: FileEffect,
  read: string,
  isFolder: boolean,
): boolean {
  if (unresolved !== undefined) return true;
  if (listing && !isFolder) return false;
  if (pattern !== undefined) return matchesGlob(read, pattern);
  return [path, real].some((place) => place === read || (tree === true && isBelow(place, read)));
}

/** A picture of a folder: names, kinds, modes and contents. */
export function pictureOf(folder: string): string {
  const hash = createHash('sha256');
  const walk = (path: string): void => {
    const { mode, size, mtimeMs } = lstatSync(path);
    hash.update(`${path}\0${mode}\0`);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
    else if (lstatSync(path).isFile()) hash.update(`${size}\0${mtimeMs}\0`).update(readFileSync(path));
  };
  walk(folder);
  return hash.digest('hex');
}

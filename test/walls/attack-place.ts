// A fresh folder for one attempt: a project with a repository, a home, and a folder outside, each with bait.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Attack, SetupStep } from './attack.js';

export interface Place {
  folder: string;
  project: string;
  outside: string;
  home: string;
  /** Replaces {ROOT}, {OUT}, {HOME} and {PORT}. */
  fill(text: string): string;
}

/** Below /srv where that is possible: a confined command has a /tmp of its own, which would hide the bait by itself. */
const base = process.getuid?.() === 0 && existsSync('/srv') ? '/srv' : tmpdir();

const git = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
};

const committed: Readonly<Record<string, string>> = {
  'a.txt': 'alpha\nbeta\ngamma\n',
  'b.txt': 'beta\ndelta\n',
  'src/a.txt': 'one\ntwo\nthree\n',
  'src/b.txt': 'two\nfour\n',
  'package.json': '{"name":"bait","version":"1.0.0"}\n',
  '.env': 'TOKEN=old\n',
};

const changedSince: Readonly<Record<string, string>> = {
  '.env': 'TOKEN=SECRET-ENV\n',
  'secrets/key.txt': 'SECRET-KEY\n',
  'secrets/key.json': '"SECRET-JSON"\n',
};

export class AttackPlaces {
  readonly #folder = realpathSync(mkdtempSync(join(base, 'helve-attacks-')));
  readonly #template = join(this.#folder, 'template');
  #count = 0;

  constructor() {
    chmodSync(this.#folder, 0o755);
    mkdirSync(this.#template);
    writeFiles(this.#template, committed);
    const run = (...args: string[]) => execFileSync('git', args, { cwd: this.#template, env: git });
    run('init', '-q', '--template=', '-b', 'main');
    run('add', '-A');
    run('commit', '-qm', 'first');
    writeFiles(this.#template, changedSince);
  }

  make({ setup = [] }: Pick<Attack, 'setup'>, { port = 9, owner }: { port?: number; owner?: number } = {}): Place {
    this.#count += 1;
    const folder = join(this.#folder, String(this.#count));
    const [project, outside, home] = [join(folder, 'project'), join(folder, 'outside'), join(folder, 'home')];
    for (const each of [outside, home, join(folder, 'tmp')]) mkdirSync(each, { recursive: true });
    cpSync(this.#template, project, { recursive: true, preserveTimestamps: true });
    const fill = (text: string): string =>
      text
        .replaceAll('{ROOT}', project)
        .replaceAll('{OUT}', outside)
        .replaceAll('{HOME}', home)
        .replaceAll('{PORT}', String(port));
    writeFiles(project, { 'evil.sh': `#!/bin/sh\n: > ${project}/PWNED\ncat 2>/dev/null\n` });
    chmodSync(join(project, 'evil.sh'), 0o755);
    writeFiles(outside, { 'secret.txt': 'SECRET-OUTSIDE\n', 'data.json': '"SECRET-OUTSIDE"\n', 'file.txt': 'kept\n' });
    writeFiles(home, {
      '.ssh/id_ed25519': 'SECRET-HOME\n',
      '.gitconfig': '[github]\n\ttoken = SECRET-GITHUB\n[user]\n\tname = A\n\temail = a@example.com\n',
    });
    for (const one of setup) take(one, project, fill);
    if (owner !== undefined) give(folder, owner);
    return { folder, project, outside, home, fill };
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function take(step: SetupStep, project: string, fill: (text: string) => string): void {
  const at = (path: string): string => {
    const filled = fill(path);
    const whole = filled.startsWith('/') ? filled : join(project, filled);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  if ('file' in step) {
    const path = at(step.file);
    writeFileSync(path, fill(step.content));
    if (step.mode !== undefined) chmodSync(path, Number.parseInt(step.mode, 8));
  } else if ('append' in step) appendFileSync(at(step.append), fill(step.content));
  else if ('folder' in step) mkdirSync(at(step.folder), { recursive: true });
  else if ('link' in step) symlinkSync(fill(step.to), at(step.link));
  else if ('fifo' in step) execFileSync('mkfifo', [at(step.fifo)]);
  else execFileSync('bash', ['-c', fill(step.run)], { cwd: project, env: git, stdio: 'pipe' });
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function give(path: string, owner: number): void {
  lchownSync(path, owner, owner);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) give(inner, owner);
    else lchownSync(inner, owner, owner);
  }
}

// Git may start programs that a repository's own configuration names, even where it only shows something. What can be
// switched off by the environment is; for the rest the configuration is looked at before the command counts as harmless.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MAX_BYTES = 1024 * 1024;

/** Keys that name a program which a reading command could start. */
const starts: ReadonlyArray<{ section: RegExp; key: RegExp }> = [
  { section: /^diff$/, key: /^(textconv|command|external)$/ },
  { section: /^filter$/, key: /^(clean|smudge|process)$/ },
  { section: /^gpg$/, key: /^program$/ },
  { section: /^core$/, key: /^(worktree|sshcommand|gitproxy|askpass|alternaterefscommand)$/ },
  { section: /^(include|includeif)$/, key: /./ }, // what is included may name anything
];

/** Why reading commands of git are not harmless in one of these places, or undefined where they are. */
export function programsOfRepositories(places: readonly string[]): string | undefined {
  const seen = new Set<string>(); // most places lie in one repository, which is looked at once
  for (const place of places) {
    for (const file of configurationsAbove(place, seen)) {
      const found = programIn(file);
      if (found !== undefined) {
        return `the repository's configuration ${file} has ${found}, by which git may start a program`;
      }
    }
  }
  return undefined;
}

/** The files that the repository around a place takes its configuration from, as far as it owns them. */
function configurationsAbove(start: string, seen: Set<string>): string[] {
  for (let folder = start; !seen.has(folder); folder = dirname(folder)) {
    seen.add(folder);
    const git = gitFolderIn(folder);
    if (git === undefined) continue;
    const common = textOf(join(git, 'commondir'))?.trim();
    const shared = common ? resolve(git, common) : git;
    return [...new Set([join(shared, 'config'), join(git, 'config.worktree'), join(shared, 'config.worktree')])];
  }
  return [];
}

function gitFolderIn(folder: string): string | undefined {
  const path = join(folder, '.git');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const elsewhere = found?.isFile() ? /^gitdir: (.*)$/m.exec(textOf(path) ?? '')?.[1] : undefined;
  return elsewhere === undefined ? undefined : resolve(folder, elsewhere);
}

function programIn(file: string): string | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  if (text.length > MAX_BYTES) return 'more than can be looked at';
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const [, name, rest = line] = /^\s*\[\s*([\w.-]+)[^\]]*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name.toLowerCase().replace(/\..*$/, '');
    const key = /^\s*([\w-]+)\s*(?:=|$)/.exec(rest)?.[1]?.toLowerCase();
    if (key !== undefined && starts.some((one) => one.section.test(section) && one.key.test(key))) {
      return `${section}.${key}`;
    }
  }
  return undefined;
}

function textOf(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined; // an error costs more than a look
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // gone, or not ours to read: then git does not read it either
  }
}

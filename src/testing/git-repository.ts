import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real repository in a temporary folder, with one commit. */
export interface TemporaryRepository {
  root: string;
  git(...args: string[]): string;
  write(name: string, content: string): Promise<void>;
}

export async function temporaryRepository(files: Readonly<Record<string, string>> = {}): Promise<TemporaryRepository> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-repository-')));
  return await repositoryIn(root, files);
}

export async function repositoryIn(
  root: string,
  files: Readonly<Record<string, string>> = {},
): Promise<TemporaryRepository> {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid', '-c', 'protocol.file.allow=always'];
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  };
  await mkdir(root, { recursive: true });
  for (const [name, content] of Object.entries({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', ...files }))
    await write(name, content);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  return { root, git, write };
}

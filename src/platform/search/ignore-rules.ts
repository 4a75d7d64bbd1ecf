import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The first kind with a rule for a path wins, however deep its file lies. */
const KINDS = ['.rgignore', '.ignore', '.gitignore'] as const;

interface RulesOfFolder {
  folder: string;
  byKind: ReadonlyMap<string, Ignore>;
  /** The root of a repository: .gitignore files above it do not apply. */
  isRepository: boolean;
}

/**
 * The rules of the ignore files from a folder upwards, as ripgrep applies them. Git settings outside the project do
 * not count.
 */
export class IgnoreRules {
  private readonly chain: readonly RulesOfFolder[];

  private constructor(chain: readonly RulesOfFolder[]) {
    this.chain = chain;
  }

  /** The rules that apply above the folder. */
  static async above(folder: string): Promise<IgnoreRules> {
    const chain: RulesOfFolder[] = [];
    for (let at = dirname(folder), below = folder; at !== below; below = at, at = dirname(at)) {
      chain.push(await readRules(at, undefined));
    }
    return new IgnoreRules(chain);
  }

  /** The rules inside a folder with entries of these names. */
  async within(folder: string, names: ReadonlySet<string>): Promise<IgnoreRules> {
    if (!names.has('.git') && !KINDS.some((kind) => names.has(kind))) return this;
    return new IgnoreRules([await readRules(folder, names), ...this.chain]);
  }

  ignores(path: string, { isFolder }: { isFolder: boolean }): boolean {
    for (const kind of KINDS) {
      for (const { folder, byKind, isRepository } of this.chain) {
        const verdict = byKind.get(kind)?.test(relative(folder, path) + (isFolder ? '/' : ''));
        if (verdict?.ignored) return true;
        if (verdict?.unignored) return false;
        if (isRepository && kind === '.gitignore') break;
      }
    }
    return false;
  }
}

async function readRules(folder: string, names: ReadonlySet<string> | undefined): Promise<RulesOfFolder> {
  const read = async (name: string): Promise<string | undefined> => {
    if (names && !names.has(name.split('/', 1)[0] ?? name)) return undefined;
    return await readFile(join(folder, name), 'utf8').catch(() => undefined); // missing, or unreadable
  };
  const byKind = new Map<string, Ignore>();
  for (const kind of KINDS) {
    const own = await read(kind);
    const excluded = kind === '.gitignore' ? await read('.git/info/exclude') : undefined;
    const texts = [excluded, own].filter((text) => text !== undefined); // the last one added wins
    if (texts.length === 0) continue;
    const rules = ignore({ ignoreCase: false });
    for (const text of texts) rules.add(text.replace(/^\uFEFF/, ''));
    byKind.set(kind, rules);
  }
  return { folder, byKind, isRepository: names ? names.has('.git') : (await read('.git/HEAD')) !== undefined };
}

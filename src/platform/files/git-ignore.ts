import { readFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

interface RulesOfFolder {
  folder: string;
  rules: Ignore | undefined;
  /** A repository begins here: what is said above it does not count. */
  isRepository: boolean;
}

/**
 * What git would ignore by the files in the project, without asking git. What a person has set for all repositories
 * does not count, so that rather too much is seen than too little.
 */
export class GitIgnore {
  readonly #chain: readonly RulesOfFolder[];

  private constructor(chain: readonly RulesOfFolder[]) {
    this.#chain = chain;
  }

  /** The rules that hold above a folder; none where they would ignore the folder itself, since somebody works there. */
  static above(folder: string): GitIgnore {
    const chain: RulesOfFolder[] = [];
    for (let below = folder, at = dirname(folder); at !== below; below = at, at = dirname(at)) {
      const rules = rulesOf(at);
      if (rules.rules || rules.isRepository) chain.push(rules);
    }
    const rules = new GitIgnore(chain);
    return rules.ignores(folder, { isFolder: true }) ? new GitIgnore([]) : rules;
  }

  /** The rules inside a folder that has a `.gitignore` or a `.git`. */
  within(folder: string): GitIgnore {
    return new GitIgnore([rulesOf(folder), ...this.#chain]);
  }

  /** For a path whose folder is not ignored. */
  ignores(path: string, { isFolder }: { isFolder: boolean }): boolean {
    for (const { folder, rules, isRepository } of this.#chain) {
      const below = path.slice(folder.endsWith(sep) ? folder.length : folder.length + 1); // all are above the path
      const verdict = rules?.test(isFolder ? `${below}/` : below);
      // Rules that ignore its folder have been overruled further down, and with that what they say of all in it.
      const above = below.slice(0, below.lastIndexOf('/') + 1);
      if (verdict?.ignored && (above === '' || !rules?.ignores(above))) return true;
      if (verdict?.unignored || isRepository) return false;
    }
    return false;
  }
}

/** The files in a folder that its rules come from. */
export const ruleFiles = ['.gitignore', '.git/info/exclude'] as const;

function rulesOf(folder: string): RulesOfFolder {
  const texts = ruleFiles.toReversed().map((name) => textOf(join(folder, name))); // what is added last decides
  const known = texts.filter((text) => text !== undefined);
  const rules = known.length === 0 ? undefined : ignore({ ignorecase: false });
  for (const text of known) rules?.add(text.replace(/^\uFEFF/, ''));
  const isRepository = statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  return { folder, rules, isRepository };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // none there, or not ours to read
  }
}

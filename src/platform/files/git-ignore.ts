import { statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { textIn } from './lenient-reads.js';

interface RulesOfFolder {
  folder: string;
  rules: Ignore | undefined;
  /** The root of a repository: rules above it do not apply. */
  isRepository: boolean;
}

/**
 * Evaluates the ignore files in the project without running git. The user's global ignore rules are not applied, so
 * that rather too many files are seen than too few.
 */
export class GitIgnore {
  readonly #chain: readonly RulesOfFolder[];

  private constructor(chain: readonly RulesOfFolder[]) {
    this.#chain = chain;
  }

  /** The rules above a folder; empty if they would ignore the folder itself, since it is the one being worked in. */
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
      const below = path.slice(folder.endsWith(sep) ? folder.length : folder.length + 1); // every rule's folder is an ancestor of the path
      const verdict = rules?.test(isFolder ? `${below}/` : below);
      // Rules that ignore its folder have been overridden further down, and with that also their effect on everything
      // in it.
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
  const texts = ruleFiles.toReversed().map((name) => textIn(join(folder, name))); // the last one added wins
  const known = texts.filter((text) => text !== '');
  const rules = known.length === 0 ? undefined : ignore({ ignorecase: false });
  for (const text of known) rules?.add(text.replace(/^\uFEFF/, ''));
  const isRepository = statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  return { folder, rules, isRepository };
}

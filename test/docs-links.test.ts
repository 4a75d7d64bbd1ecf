// What the documents point to is there: pages, headings, commands and flags.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { helpPages } from '../src/cli/help/pages.js';

const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', ...markdownBelow('docs')];

function markdownBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}

test('every relative link of the documents has an existing target', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ page, link }) => !leadsSomewhere(page, link))).toEqual([]);
});

function linksOf(page: string): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '``');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(
    ([, link, quoted]) => link ?? quoted,
  );
  return links.filter((link) => link !== undefined).filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative('.', resolve(dirname(page), path));
  if (target.startsWith('..') || !existsSync(target)) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(target).has(anchor));
}

/** The headings, as a page on the web names them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

const proseOf = (page: string): string => readFileSync(page, 'utf8').replaceAll(/^( *```+).*\n[\s\S]*?^\1 *$/gm, '');

test('the commands and flags that documents show exist', () => {
  const wrong = pages.flatMap((page) =>
    commandsOf(page)
      .flatMap(wrongWordsOf)
      .map((words) => ({ page, words })),
  );
  expect(wrong).toEqual([]);
});

test('the check of documents finds commands, and reports unknown flags and subcommands', () => {
  expect(commandsOf('docs/guides/first-ten-minutes.md').length).toBeGreaterThan(10);
  expect(wrongWordsOf('helve -p "x --y" --outputformat json')).toEqual(['helve -p: --outputformat']);
  expect(wrongWordsOf('helve sessions forget x')).toEqual(['helve sessions forget']);
});

/** Lines of shell blocks that run helve, without what is quoted, remarked, or belongs to another program. */
function commandsOf(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^ *```(?:sh|bash|yaml)\n([\s\S]*?)^ *```/gm)];
  return blocks
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .flatMap((line) => /(?:^|[|=&] ?)\s*(helve(?: .*)?)$/.exec(line)?.[1] ?? []);
}

function wrongWordsOf(command: string): string[] {
  const words = command
    .replaceAll(/'[^']*'|"[^"]*"/g, '""')
    .replace(/ (?:#|--(?= |$)|\||>|&&|<<).*$/, '')
    .split(/\s+/)
    .slice(1);
  const [first = '', second = ''] = words;
  const name = Object.hasOwn(helpPages, first) && first !== '-p' ? first : words.includes('-p') ? '-p' : 'interactive';
  const help = helpPages[name] ?? '';
  if (first === 'help' || first === '--version' || words.includes('--help')) return [];
  if (/^[a-z]/.test(first) && name !== first) return [`helve ${first}`];
  if (name === first && /^[a-z-]+$/.test(second) && !second.startsWith('-') && / helve \w+ \[?[a-z-]+\b/.test(help)) {
    if (!new RegExp(`helve ${name} \\[?${second}\\b`).test(help)) return [`helve ${name} ${second}`];
  }
  const known = new Set(help.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g));
  const flags = words.flatMap((word) => /^(--?[a-zA-Z][\w-]*)/.exec(word)?.[1] ?? []);
  return flags.filter((flag) => !known.has(flag)).map((flag) => `helve ${name}: ${flag}`);
}

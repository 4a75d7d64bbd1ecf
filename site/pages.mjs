// Which files become pages, and at which address: `docs/guides/x.md` is at `guides/x.html`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Pages that are not in docs/. The address of the README is the start page. */
const others = {
  'README.md': 'index.html',
  'ARCHITECTURE.md': 'architecture.html',
  'CHANGELOG.md': 'changelog.html',
  'CONTRIBUTING.md': 'contributing.html',
  'SECURITY.md': 'security-policy.html',
  'docs/README.md': 'contents.html',
};

/** All pages by the path of their source. */
export function findPages(root) {
  const pages = new Map();
  for (const [source, address] of Object.entries(others)) {
    if (existsSync(join(root, source))) pages.set(source, { source, address, kind: 'markdown' });
  }
  const names = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => name.replaceAll('\\', '/'));
  for (const name of names.filter((each) => each.endsWith('.md')).toSorted()) {
    const source = `docs/${name}`;
    if (!pages.has(source)) pages.set(source, { source, address: name.replace(/\.md$/, '.html'), kind: 'markdown' });
  }
  pages.set('docs/decisions', { source: 'docs/decisions', address: 'decisions/index.html', kind: 'records' });
  return pages;
}

/** The page of a file or folder that another page links to: examples and sources are shown as they are. */
export function pageOf(pages, root, source) {
  const path = posix.normalize(source).replace(/\/$/, '');
  const known = pages.get(path);
  if (known !== undefined) return known;
  if (!existsSync(join(root, path))) return undefined;
  const isFolder = statSync(join(root, path)).isDirectory();
  const kind = isFolder ? 'folder' : path.endsWith('.md') ? 'markdown' : 'file';
  const page = { source: path, address: `files/${path}.html`, kind };
  pages.set(path, page);
  return page;
}

/** The sections of the contents page, each with the pages that it lists and the questions that they answer. */
export function readContents(root) {
  const sections = [];
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, entries: [] });
    const row = /^\| (.+?) \| (.+) \|$/.exec(line);
    if (row === null || row[1] === 'question') continue;
    for (const [, title, target] of row[2].matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)) {
      const source = posix.normalize(posix.join('docs', target)).replace(/\/$/, '');
      sections.at(-1)?.entries.push({ title: headingOf(join(root, source)) ?? title, source, question: row[1] });
    }
  }
  return sections;
}

function headingOf(path) {
  if (!path.endsWith('.md') || !existsSync(path)) return undefined;
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.replaceAll('`', '');
}

// Builds the documents of this clone into a static site, at OUT/VERSION. Other versions in OUT stay as they are.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { build } from 'esbuild';
import { layout, versionsPage } from './layout.mjs';
import { findPages, pageOf, readContents } from './pages.mjs';
import { renderMarkdown } from './render.mjs';
import { searchIndex } from './search-index.mjs';

/** Folders are shown with their files. A file above this size is only named. */
const MAX_SHOWN_BYTES = 64 * 1024;

export async function buildSite({ root, out }) {
  const version = /^\d+\.\d+/.exec(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)[0];
  const top = join(out, version);
  const contents = readContents(root);
  const pages = findPages(root);
  const images = new Set();
  rmSync(top, { recursive: true, force: true });

  const found = [];
  // Links add pages to this map while it is walked.
  for (const page of pages.values()) {
    const upwards = '../'.repeat(page.address.split('/').length - 1);
    const linkTo = (source) => {
      if (!/\.(?:png|svg)$/.test(source)) return pageOf(pages, root, source)?.address;
      images.add(source);
      return imageAddress(source);
    };
    const text = markdownOf(page, root);
    const { html, headings, sections } = renderMarkdown(text, { source: fileOf(page), linkTo, upwards });
    const title = headings.find(({ depth }) => depth === 1)?.heading ?? page.source;
    const description = sections[0]?.text.trim().slice(0, 200) || title;
    write(
      join(top, page.address),
      layout({ page, title, description, html, headings, contents, pages, version, upwards }),
    );
    found.push({ page, title, sections });
  }

  for (const source of images) {
    mkdirSync(dirname(join(top, imageAddress(source))), { recursive: true });
    copyFileSync(join(root, source), join(top, imageAddress(source)));
  }
  write(
    join(top, 'search-index.js'),
    `globalThis.helveSearchIndex = ${JSON.stringify(searchIndex(found, contents))};\n`,
  );
  const client = join(import.meta.dirname, 'client');
  cpSync(join(client, 'site.css'), join(top, 'site.css'));
  cpSync(join(client, 'theme.js'), join(top, 'theme.js'));
  cpSync(join(root, 'src/web/icon.svg'), join(top, 'icon.svg'));
  await build({
    entryPoints: [join(client, 'search.mjs')],
    outfile: join(top, 'search.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'eof',
    logLevel: 'warning',
  });

  const versions = readdirSync(out).filter(
    (name) => /^\d+\.\d+$/.test(name) && statSync(join(out, name)).isDirectory(),
  );
  const newestFirst = versions.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  write(join(out, 'index.html'), versionsPage(newestFirst));
  return { top, version, pages: found.length };
}

const imageAddress = (source) => source.replace(/^docs\//, '');

/** Links of a folder are relative to it, those of a file to its folder. */
const fileOf = ({ source, kind }) => (kind === 'folder' || kind === 'records' ? `${source}/index.md` : source);

function markdownOf({ source, kind }, root) {
  if (kind === 'markdown') return readFileSync(join(root, source), 'utf8');
  if (kind === 'records') return recordsOf(source, root);
  if (kind === 'file') return `# ${source}\n\n${fenced(source, root)}`;
  const names = readdirSync(join(root, source), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const parts = names.map(({ name, isFolder }) => (isFolder ? `- [${name}/](${name})` : `- [${name}](${name})`));
  return `# ${source}\n\n${parts.join('\n')}\n`;
}

function fenced(source, root) {
  const path = join(root, source);
  if (statSync(path).size > MAX_SHOWN_BYTES) return `${source} is too long to be shown here.`;
  const fence = '`'.repeat(6);
  return `${fence}${posix.extname(source).slice(1)}\n${readFileSync(path, 'utf8').trimEnd()}\n${fence}\n`;
}

function recordsOf(source, root) {
  const names = readdirSync(join(root, source))
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const rows = names.map((name) => {
    const heading = /^# (.+)$/m.exec(readFileSync(join(root, source, name), 'utf8'))?.[1] ?? name;
    return `- [${heading}](${name})`;
  });
  return `# Decisions\n\nWhy Helve is built this way: one record for each choice that others will ask about.\n\n${rows.join('\n')}\n`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

// Gives an agent that answers questions about Helve the pages of its documentation, which are shipped with the program.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ToolFailure } from '../../contract/failure.js';
import { defineTool } from '../../contract/tool.js';
import { packageFolder } from '../../platform/files/package-folder.js';

const MAX_PAGE_CHARS = 100_000;

const description = `Read the documentation of Helve.
Without page: the names of all pages with what each is about. With page: the whole page.`;

/** It reads only files that are shipped with the program. */
export const docsTool = defineTool({
  name: 'HelveDocs',
  about: 'Reads the documentation of Helve.',
  description,
  input: z.strictObject({ page: z.string().optional().describe('As listed, for example "hooks"') }),
  maxResultChars: MAX_PAGE_CHARS,
  effects: () => [],

  async execute({ page }) {
    const folder = packageFolder('docs');
    if (folder === undefined) {
      throw new ToolFailure('The documentation of Helve is not here: this copy of it came without its docs folder.', {
        advice: 'Say that you can not look it up.',
      });
    }
    const pages = await pagesIn(folder);
    if (page === undefined) return { text: (await Promise.all(pages.map((name) => lineFor(folder, name)))).join('\n') };
    const wanted = `${page.trim().replace(/\.md$/, '')}.md`;
    if (!pages.includes(wanted)) {
      const known = pages.map((name) => name.slice(0, -'.md'.length)).join(', ');
      throw new ToolFailure(`There is no page "${page}". There are: ${known}.`, { kind: 'invalid_input' });
    }
    return { text: await readFile(join(folder, wanted), 'utf8') };
  },

  toModel: ({ text }) => text,
  displayCall: ({ page = 'all pages' }) => ({ title: page, looks: 'read' }),
  displayResult: (_, { page = 'all pages' }) => ({ title: page, looks: 'read' }),
});

/** The pages for users; decisions and screenshots are left out. */
async function pagesIn(folder: string): Promise<string[]> {
  const guides = await readdir(join(folder, 'guides')).catch(() => []);
  const names = [...(await readdir(folder)), ...guides.map((name) => `guides/${name}`)];
  return names.filter((name) => name.endsWith('.md')).toSorted();
}

async function lineFor(folder: string, name: string): Promise<string> {
  const [heading = '', ...rest] = (await readFile(join(folder, name), 'utf8')).split('\n');
  const first = rest.find((line) => /^\w/.test(line)) ?? '';
  return `${name.slice(0, -'.md'.length)}: ${heading.replace(/^#+\s*/, '')}. ${first.slice(0, 160)}`;
}

// The documentation as a site, built from this clone and read in a real Chromium.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CHROMIUM = process.env['HELVE_CHROMIUM'] ?? '/usr/bin/chromium';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const phone = { width: 360, height: 740 };
const FOUND_AMONG = 3; // a person looks at the first results

const inBrowser = test.skipIf(!existsSync(CHROMIUM));

let folder: string;
let url: string;
let server: ChildProcess;
let browser: Browser | undefined;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'helve-site-'));
  server = spawn(process.execPath, ['scripts/site.mjs', '--out', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: server.stdout })) {
    url = /http:\/\/[\d.:]+\//.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  if (!existsSync(CHROMIUM)) return;
  // As root, Chromium needs to be told to run without its own sandbox.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: phone });
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => complaints.push(message.text())); // reports of the content policy, too
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) complaints.push(`a request to ${request.url()}`);
  });
});

afterAll(async () => {
  await browser?.close();
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  await rm(folder, { recursive: true, force: true });
});

const version = (): string => readdirSync(folder).find((name) => /^\d+\.\d+$/.test(name)) ?? '';

const pages = (): string[] =>
  readdirSync(join(folder, version()), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

test('every link, anchor and picture of every page leads somewhere', () => {
  const read = new Map(pages().map((name) => [name, readFileSync(join(folder, version(), name), 'utf8')]));
  const anchors = new Map([...read].map(([name, html]) => [name, new Set(html.match(/(?<= id=")[^"]+/g))]));
  const broken = [...read].flatMap(([name, html]) =>
    [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^(?:https?:|mailto:)/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? name : posix.join(dirname(name), path);
        if (!existsSync(join(folder, version(), target))) return true;
        return anchor !== undefined && !anchors.get(target)?.has(decodeURIComponent(anchor));
      })
      .map((link) => `${name}: ${link}`),
  );
  expect(read.size).toBeGreaterThan(150);
  expect(broken).toEqual([]);
});

inBrowser('every page of the documentation fits a phone, reports no error and asks no other host', async () => {
  const wide: string[] = [];
  for (const name of pages().filter((each) => !/^(?:decisions|files)\//.test(each))) {
    await page.goto(`${url}${version()}/${name}`, { waitUntil: 'domcontentloaded' });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    if (width !== phone.width) wide.push(`${name} is ${width} pixels wide`);
  }
  expect(wide).toEqual([]);
  expect(complaints).toEqual([]);
});

inBrowser('pages pass axe in light and dark, narrow and wide', async () => {
  const source = await readFile(axe, 'utf8');
  const findings: string[] = [];
  const cases = [
    { name: 'index.html', colorScheme: 'dark', viewport: { width: 1400, height: 900 } },
    { name: 'permissions.html', colorScheme: 'light', viewport: phone },
    { name: 'contents.html', colorScheme: 'light', viewport: { width: 1400, height: 900 } },
    { name: 'terminal.html', colorScheme: 'dark', viewport: phone },
  ] as const;
  for (const { name, colorScheme, viewport } of cases) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${url}${version()}/${name}`);
    await page.evaluate(source);
    const found = await page.evaluate<Array<{ id: string; nodes: Array<{ html: string }> }>>(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
    );
    findings.push(...found.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id}: ${nodes[0]?.html.slice(0, 160)}`));
  }
  expect(findings).toEqual([]);
});

inBrowser('the search finds the page for each question of a newcomer', async () => {
  const questions: Array<{ question: string; page: string }> = JSON.parse(
    await readFile('site/questions.json', 'utf8'),
  );
  await page.goto(`${url}${version()}/index.html`);
  const missed: string[] = [];
  for (const { question, page: wanted } of questions) {
    await page.locator('#search').fill('');
    await page.locator('#search').fill(question);
    await page.locator('#found a').first().waitFor();
    const links = await page.evaluate<string[]>(
      '[...document.querySelectorAll("#found a")].map((link) => link.getAttribute("href"))',
    );
    const found = links.map((link) => link.split('#')[0]);
    if (!found.slice(0, FOUND_AMONG).includes(wanted)) missed.push(`${question}: ${found.join(' ')}`);
  }
  expect(missed).toEqual([]);
  expect(questions.length).toBeGreaterThanOrEqual(20);
});

inBrowser('the search and the theme work with the keys, and the theme is kept', async () => {
  await page.goto(`${url}${version()}/index.html`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Switch between light and dark' }).press('Enter');
  await page.keyboard.press('/');
  await page.keyboard.type('worktrees');
  await page.locator('#found a').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Worktrees' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  expect(complaints).toEqual([]);
});

test('the address above the versions leads to the newest one', async () => {
  const answer = await fetch(url);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain(`href="${version()}/index.html"`);
  expect((await fetch(`${url}${version()}/..%2f..%2fetc/passwd`)).status).toBe(404);
  expect((await fetch(`${url}${version()}/none.html`)).status).toBe(404);
});

// A browser that is signed in to a real `helve serve` with a scripted model, for the tests of the web view. They share
// the browser, the server and its data folder: starting these takes longer than most of the tests.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FakeAnswer } from '../../src/testing/fake-model-server.js';
import { emptyFolder } from '../cli/run-helve.js';
import { ServeClient, type Served, type ServePlace, servePlace, startServe } from '../cli/serve-client.js';

const CHROMIUM = process.env['HELVE_CHROMIUM'] ?? '/usr/bin/chromium';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
export const phone = { width: 360, height: 740 };

export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) {
  process.stderr.write(`The tests of the web view are skipped, since there is no Chromium at ${CHROMIUM}.\n`);
}
export const inBrowser = test.skipIf(!hasChromium);

interface Shared extends ServePlace {
  browser: Browser;
  token: ServePlace['token'];
  admin: string;
  url: string;
  served: Served;
  /** What the browser keeps of a person who is signed in. */
  signedIn: BrowserContextOptions['storageState'];
  /** The answers of the model to the test that runs. */
  answers: FakeAnswer[];
}

export interface Visit extends ServePlace {
  url: string;
  served: Served;
  page: Page;
  context: BrowserContext;
  /** Starts the server again, at the same address. */
  restart(): Promise<void>;
  /** Connections that fail are reported in the console; here they are expected. */
  expectBroken(): void;
  /** Another window of the same person. */
  open(): Promise<Page>;
  /** Starts a session with this prompt, in a folder of the test, and gives its id. */
  begin(prompt: string): Promise<string>;
  /** The same, and shows it. */
  start(prompt: string, heading?: RegExp): Promise<void>;
}

export type VisitPage = (
  answers: readonly FakeAnswer[],
  options?: { viewport?: { width: number; height: number } },
) => Promise<Visit>;

/** To be called once in a file. At the end of each test, the page must not have complained. */
export function sharedServer(): VisitPage {
  let shared: Shared;
  const ends: Array<() => Promise<void>> = [];
  const atEnd = (end: () => Promise<void>): void => void ends.unshift(end);

  beforeAll(async () => {
    if (hasChromium) shared = await startShared(atEnd);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  return async (answers, options = {}) => {
    shared.answers = [...answers];
    const restart = async (): Promise<void> => {
      shared.served = await startServe(shared, ['--port', new URL(shared.url).port], atEnd);
    };
    if (shared.served.process.exitCode !== null || shared.served.process.signalCode !== null) await restart();
    const { url, browser, signedIn } = shared;
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      storageState: signedIn,
      ...options,
    });
    context.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    let isBreaking = false;
    context.on('page', (page) => watch(page, url, { complaints, isBreaking: () => isBreaking }));
    onTestFinished(async () => {
      await context.close();
      expect(complaints).toEqual([]);
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    const open: Visit['open'] = async () => {
      const other = await context.newPage();
      await other.goto(page.url());
      return other;
    };
    const cwd = await emptyFolder();
    const client = await ServeClient.connect(url, shared.admin);
    const begin: Visit['begin'] = async (prompt) => {
      const sessionId = randomUUID();
      const given = { cwd, mcpServers: [], prompt: [{ type: 'text', text: prompt }] };
      await client.request('_helve/prompt', { sessionId, promptId: randomUUID(), ...given });
      return sessionId;
    };
    const start: Visit['start'] = async (prompt, heading) => {
      await page.goto(`${url}/#/session/${await begin(prompt)}`);
      await page.getByRole('heading', { name: heading ?? prompt, level: 1 }).waitFor();
    };
    const expectBroken = (): void => {
      isBreaking = true;
    };
    const { served } = shared;
    return { ...shared, cwd, served, restart, expectBroken, page, context, open, begin, start };
  };
}

/** A page of a browser of its own, signed in. At the end of the test, the page must not have complained. */
export async function openSignedIn(url: string, token: string): Promise<Page> {
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  context.on('page', (page) => watch(page, url, { complaints, isBreaking: () => false }));
  onTestFinished(async () => {
    await browser.close();
    expect(complaints).toEqual([]);
  });
  const page = await context.newPage();
  await signIn(page, url, token);
  return page;
}

// As root, Chromium needs to be told to run without its own sandbox.
const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

async function startShared(atEnd: (end: () => Promise<void>) => void): Promise<Shared> {
  const missing = { status: 400, error: { type: 'invalid_request_error', message: 'The test has no more answers.' } };
  const place = await servePlace(() => shared.answers.shift() ?? missing, atEnd);
  const [admin, served, browser] = await Promise.all([
    place.token('admin'),
    startServe(place, [], atEnd),
    launchBrowser(),
  ]);
  atEnd(async () => await browser.close());
  const { url } = served;
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, url, admin);
  const signedIn = await context.storageState();
  await context.close();
  const shared: Shared = { ...place, admin, served, browser, url, signedIn, answers: [] };
  return shared;
}

export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('One-time code or token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
}

function watch(page: Page, url: string, { complaints, isBreaking }: { complaints: string[]; isBreaking(): boolean }) {
  page.on('console', (message) => {
    const isExpected =
      isBreaking() && /WebSocket connection|ERR_CONNECTION|Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isExpected) complaints.push(message.text()); // reports of the CSP, too
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack)));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) complaints.push(`a request to ${request.url()}`);
  });
}

export const bash = (command: string) => ({ name: 'Bash', input: { command } });

export const question = (page: Page) => page.getByRole('region', { name: 'Question' });

/** Presses a button that is off for its first moments. */
export async function pressAllow(page: Page): Promise<void> {
  await question(page).locator('.allow:not([aria-disabled="true"])').click();
}

/** What is wrong with the page in light and dark, and whether it is wider than the window. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(axe, 'utf8'));
    const found = await page.evaluate<Array<{ id: string; impact: string; nodes: Array<{ html: string }> }>>(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
    );
    const bad = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    faults.push(...bad.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id}: ${nodes[0]?.html.slice(0, 160)}`));
  }
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (width > 0) faults.push(`${name} is ${width} pixels too wide`);
  return faults;
}

// The web view in a real Chromium, on a real `helve serve` with a scripted model.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FakeAnswers } from '../../src/testing/fake-model-server.js';
import { type Served, type ServePlace, servePlace, startServe } from '../cli/serve-client.js';

const CHROMIUM = process.env['HELVE_CHROMIUM'] ?? '/usr/bin/chromium';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const phone = { width: 360, height: 740 };

const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) {
  process.stderr.write(`The tests of the web view are skipped, since there is no Chromium at ${CHROMIUM}.\n`);
}
const inBrowser = test.skipIf(!hasChromium);

let browser: Browser;

beforeAll(async () => {
  // As root, Chromium needs to be told to run without its own sandbox.
  if (hasChromium) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});

afterAll(async () => await browser?.close());

const bash = (command: string) => ({ name: 'Bash', input: { command } });

interface Visit extends ServePlace {
  url: string;
  served: Served;
  /** Connections that fail are reported in the console; here they are expected. */
  expectBroken(): void;
  page: Page;
  context: BrowserContext;
  /** Another window of the same person. */
  open(): Promise<Page>;
  /** Starts a session with this prompt, and shows it. */
  start(prompt: string, heading?: RegExp): Promise<void>;
}

/** A server with a session list of its own, and a browser that is signed in. At the end, the page must not have complained. */
async function visit(
  answers: FakeAnswers,
  options: { viewport?: { width: number; height: number } } = {},
): Promise<Visit> {
  const place = await servePlace(answers);
  const token = await place.token('admin');
  const served = await startServe(place);
  const { url } = served;
  let isBreaking = false;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  context.on('page', (page) => {
    page.on('console', (message) => {
      const isExpected =
        isBreaking && /WebSocket connection|ERR_CONNECTION|Failed to load resource/.test(message.text());
      if (message.type() === 'error' && !isExpected) complaints.push(message.text()); // reports of the CSP, too
    });
    page.on('pageerror', (error) => complaints.push(String(error.stack)));
    page.on('request', (request) => {
      if (new URL(request.url()).host !== new URL(url).host) complaints.push(`a request to ${request.url()}`);
    });
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('One-time code or token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  const open = async (): Promise<Page> => {
    const other = await context.newPage();
    await other.goto(page.url());
    return other;
  };
  const start: Visit['start'] = async (prompt, heading) => {
    const id = randomUUID();
    expect(await place.helve(['bg', '--session-id', id, prompt])).toMatchObject({ code: 0 });
    await page.goto(`${url}/#/session/${id}`);
    await page.getByRole('heading', { name: heading ?? prompt, level: 1 }).waitFor();
  };
  const expectBroken = (): void => {
    isBreaking = true;
  };
  return { ...place, url, served, expectBroken, page, context, open, start };
}

const question = (page: Page) => page.getByRole('region', { name: 'Question' });

/** Presses a button that is off for its first moments. */
async function pressAllow(page: Page): Promise<void> {
  await question(page).locator('.allow:not([aria-disabled="true"])').click();
}

inBrowser('a session streams, asks, and goes on with the answer; nothing allows it by accident', async () => {
  const more = Promise.withResolvers<void>();
  const { page, start, cwd } = await visit([
    {
      text: 'I make the **file** now.',
      holdAfter: { events: 5, until: more.promise },
      calls: [bash('echo made > made.txt')],
    },
    { text: 'It is made.\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com/)' },
  ]);
  await start('make the file');
  const conversation = page.getByRole('log', { name: 'Conversation' });
  await conversation.getByText('I make the').waitFor(); // while the answer still streams
  await page.evaluate(`new MutationObserver(() => {
    const button = document.querySelector('.allow');
    if (button) window.atFirst ??= [button.getAttribute('aria-disabled'), button === document.activeElement];
  }).observe(document, { subtree: true, childList: true })`);
  more.resolve();
  await question(page).getByRole('heading', { name: 'Run this command?' }).waitFor();
  expect(await page.evaluate('window.atFirst')).toEqual(['true', false]); // a press that was meant for something else does nothing
  await question(page).locator('.allow:not([aria-disabled="true"])').focus();
  await page.keyboard.press('Enter');
  expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
  await page.keyboard.press('Space');
  await conversation.getByText('It is made.').waitFor();
  expect(await readFile(join(cwd, 'made.txt'), 'utf8')).toBe('made\n');
  // HTML is text, and only safe addresses are links.
  expect(await conversation.locator('img').count()).toBe(0);
  expect(
    await conversation
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.getAttribute('rel')])),
  ).toEqual([['https://example.com/', 'noopener noreferrer']]);
});

inBrowser('a dangerous call needs a second press, and a refusal says what to do instead', async () => {
  const { page, start, model } = await visit([
    { calls: [bash('git push --force origin main')] },
    { text: 'Then I do not.' },
  ]);
  await start('push it');
  await question(page)
    .getByRole('heading', { name: /^Can't be undone: / })
    .waitFor();
  await pressAllow(page);
  await question(page).getByRole('button', { name: 'Press again to allow' }).waitFor();
  await question(page).getByRole('button', { name: /^No/ }).click();
  await page.getByLabel('What should be done instead?').fill('Open a pull request.');
  await page.keyboard.press('Enter');
  await page.getByText('Then I do not.').waitFor();
  expect(model.requests.at(-1)?.text).toContain('Open a pull request.');
});

inBrowser('an interrupt ends the work, a reload in the middle shows all of it, and a prompt is sent once', async () => {
  const never = new Promise<void>(() => {});
  const { page, start, model } = await visit([
    { text: 'The first words of a long answer', holdAfter: { events: 6, until: never } },
    { text: 'The second answer.' },
  ]);
  await start('say something long');
  await page.getByText('The first').waitFor();
  await page.reload();
  await page.getByText('The first').waitFor();
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await page.locator('.state-idle').first().waitFor();
  // The connection is gone when the prompt is sent, and the page is loaded again before it is back.
  await page.context().setOffline(true);
  await page.getByLabel('Prompt', { exact: true }).fill('now the second part');
  await page.keyboard.press('Enter');
  await page.context().setOffline(false);
  await page.reload();
  await page.getByText('The second answer.').waitFor();
  expect(model.requests.filter(({ text }) => text.includes('now the second part'))).toHaveLength(1);
});

inBrowser('a server that ends and comes back is connected to again, and what was missed is shown', async () => {
  const more = Promise.withResolvers<void>();
  const visited = await visit([
    { text: 'The beginning, and then the end of it.', holdAfter: { events: 5, until: more.promise } },
  ]);
  const { page, start, served, url, expectBroken } = visited;
  await start('begin and end');
  await page.getByText('The beginning').waitFor();
  expectBroken();
  served.process.kill('SIGTERM');
  await served.ended;
  await page.locator('.banner').waitFor();
  more.resolve();
  await startServe(visited, ['--port', new URL(url).port]);
  await page.getByText('The beginning, and then the end of it.').waitFor();
  await page.locator('.banner').waitFor({ state: 'detached' });
});

inBrowser('a question that is answered in one window goes away in the other', async () => {
  const { page, start, open } = await visit([{ calls: [bash('echo a > a.txt')] }, { text: 'Done.' }]);
  await start('two windows');
  const other = await open();
  await Promise.all([question(page).waitFor(), question(other).waitFor()]);
  await pressAllow(other);
  await Promise.all([question(page).waitFor({ state: 'detached' }), question(other).waitFor({ state: 'detached' })]);
  await page.getByText('Done.').waitFor();
});

inBrowser('one call is undone from the list of changes', async () => {
  const edit = (file: string, from: string, to: string) => ({
    name: 'Edit',
    input: { file_path: file, old_string: from, new_string: to },
  });
  const { page, start, cwd } = await visit([
    {
      calls: [
        { name: 'Read', input: { file_path: 'a.txt' } },
        { name: 'Read', input: { file_path: 'b.txt' } },
      ],
    },
    { calls: [edit('a.txt', 'one', 'two'), edit('b.txt', 'one', 'two')] },
    { text: 'Both are changed.' },
  ]);
  await Promise.all(['a.txt', 'b.txt'].map((name) => writeFile(join(cwd, name), 'one\n')));
  await start('change both');
  for (const _ of ['a', 'b']) {
    await question(page).waitFor();
    await pressAllow(page);
  }
  await page.getByText('Both are changed.').waitFor();
  await page.getByRole('link', { name: 'Changes' }).click();
  const files = page.getByRole('navigation', { name: 'Changed files' });
  await files.getByRole('button', { name: /a\.txt/ }).click();
  await page.getByRole('group', { name: 'Changes of a.txt' }).getByText('two').waitFor();
  await page.locator('.undos .quiet:not([aria-disabled="true"])').click();
  await files.getByRole('button', { name: /a\.txt/ }).waitFor({ state: 'detached' });
  expect(await Promise.all(['a.txt', 'b.txt'].map((name) => readFile(join(cwd, name), 'utf8')))).toEqual([
    'one\n',
    'two\n',
  ]);
});

inBrowser('every page passes axe in light and dark, fits 360 pixels, and works with the keys', async () => {
  const { page, start } = await visit(
    [
      {
        text: 'A list:\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```',
        calls: [bash('printf "a\\nb\\n"')],
      },
      { calls: [bash('echo x > x.txt')] },
      { text: 'Done.' },
    ],
    { viewport: phone },
  );
  await start('look at everything');
  await question(page).waitFor();
  const findings: string[] = [];
  const look = async (name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(axe, 'utf8'));
      const found = await page.evaluate<Array<{ id: string; impact: string; nodes: Array<{ html: string }> }>>(
        'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
      );
      const bad = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      findings.push(...bad.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id}: ${nodes[0]?.html.slice(0, 160)}`));
    }
    const width = await page.evaluate('document.documentElement.scrollWidth');
    if (width !== phone.width) findings.push(`${name} is ${width} pixels wide`);
  };
  await look('conversation with a question');
  await pressAllow(page);
  await page.getByText('Done.').waitFor();
  await page.locator('#main').focus();
  for (const [key, tab] of [
    ['2', 'Changes'],
    ['3', 'Timeline'],
    ['4', 'Usage'],
    ['1', 'Conversation'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(`.tabs [aria-current="page"]:text-is("${tab}")`).waitFor();
    if (tab === 'Timeline') await page.locator('.bar-row').first().waitFor();
    await look(tab);
  }
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await look('keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await look('sessions');
  await page.keyboard.press('n');
  await page.getByRole('radio').first().waitFor();
  await look('new session');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('One-time code or token').waitFor();
  await look('sign in');
  expect(findings).toEqual([]);
});

inBrowser('a one-time code signs in and leaves the address; a revoked token shows why', async () => {
  const { page, url, helve } = await visit([]);
  const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec((await helve(['serve', 'code', '--role', 'view'])).stdout)?.[0];
  const context = await browser.newContext();
  const other = await context.newPage();
  onTestFinished(async () => await context.close());
  await other.goto(`${url}/#code=${code}`);
  await other.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  expect(other.url()).toBe(`${url}/`);
  await helve(['serve', 'tokens', 'revoke', 'admin']);
  await page.getByText(/was revoked/).waitFor();
});

inBrowser(
  'a prompt that a stopped server did not answer runs once, after the server was killed and is back',
  async () => {
    const visited = await visit([{ text: 'First answer.' }, { text: 'Second answer.' }]);
    const { page, start, served, url, expectBroken, model } = visited;
    await start('the first prompt');
    await page.getByText('First answer.').waitFor();
    served.process.kill('SIGSTOP');
    await page.getByLabel('Prompt', { exact: true }).fill('the second prompt');
    await page.keyboard.press('Enter');
    await page.getByText('is sent…').waitFor();
    expectBroken();
    served.process.kill('SIGKILL');
    await served.ended;
    await startServe(visited, ['--port', new URL(url).port]);
    await page.getByText('Second answer.').waitFor();
    await page.getByText('is sent…').waitFor({ state: 'detached' });
    expect(model.requests.filter(({ text }) => text.includes('the second prompt'))).toHaveLength(1);
  },
);

inBrowser('a connection that is silent is given up, and its late end does not end the one after it', async () => {
  const { page, start, served, expectBroken } = await visit([{ text: 'First answer.' }, { text: 'Second answer.' }]);
  await page.clock.install();
  let sockets = 0;
  page.on('websocket', () => {
    sockets += 1;
  });
  await page.reload();
  await start('the first prompt');
  await page.getByText('First answer.').waitFor();
  const before = sockets;
  expectBroken();
  served.process.kill('SIGSTOP');
  await page.clock.fastForward(60_000); // as after a sleep of the machine
  await page.clock.fastForward(6_000);
  await page.locator('.banner').waitFor();
  await page.clock.fastForward(2_000); // the pause before another connection is tried
  served.process.kill('SIGCONT');
  await page.locator('.banner').waitFor({ state: 'detached' });
  await page.getByLabel('Prompt', { exact: true }).fill('the second prompt');
  await page.keyboard.press('Enter');
  await page.getByText('Second answer.').waitFor();
  expect(sockets).toBe(before + 1);
});

inBrowser('whatever a model writes stays text within the page', async () => {
  const deep = Array.from({ length: 1_000 }, (_, level) => `${'  '.repeat(level)}- ${level}`).join('\n');
  const quotes = `${'> '.repeat(1_000)}quoted`;
  const wide = `|${'a|'.repeat(300)}\n|${'-|'.repeat(300)}\n|${'b|'.repeat(300)}`;
  const { page, start } = await visit(
    [
      {
        text: `${deep}\n\n${quotes}\n\n${wide}\n\n\u202Eevil\u2066 \u0007 &#x202e;entity`,
        calls: [bash('printf "\\033]0;title\\007\\033[31mred\\033[2J\\n"; exit 3')],
      },
      {
        text: '# <img src=x onerror=alert(1)>\n\n[x](JaVaScRiPt:alert(1)) [y](data:text/html,z) ![z](https://example.com/z.png)\n\nThe end.',
      },
    ],
    { viewport: phone },
  );
  await start('\u202E<b>bold</b> 🎉 שלום and a very long title that goes on and on, without an end in sight', /bold/);
  await page.getByText('The end.').waitFor(); // so the page still follows, whatever heights were only estimated
  const shown = await page.evaluate<string>('document.body.innerText + document.title');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u0000-\u0008\u001B]/);
  expect(await page.locator('main img, main b, main a[href^="javascript" i], main a[href^="data"]').count()).toBe(0);
  expect(await page.locator('[role="alert"]').count()).toBe(0); // nothing failed while it was drawn
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
  // A small move up is the person's, and ends the following.
  await page.getByRole('log', { name: 'Conversation' }).hover();
  await page.mouse.wheel(0, -20);
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'detached' });
});

inBrowser(
  'a long diff says how much of it was not read, and the timeline leads to a call of the last prompt',
  async () => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    const { page, start, cwd } = await visit([
      { calls: [{ name: 'Write', input: { file_path: 'long.txt', content: `${long}\n` } }] },
      { text: 'First answer.' },
      { calls: [{ name: 'Read', input: { file_path: 'long.txt' } }] },
      { text: 'Second answer.' },
    ]);
    await start('write it');
    await question(page)
      .getByRole('button', { name: /^Yes, without reading the last \d+ lines$/ })
      .waitFor();
    expect(await question(page).getByText('More ways to allow').count()).toBe(0);
    const body = question(page).getByRole('group', { name: 'What it is about' });
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await question(page).getByRole('button', { name: 'Yes', exact: true }).waitFor();
    await pressAllow(page);
    await page.getByText('First answer.').waitFor();
    expect(await readFile(join(cwd, 'long.txt'), 'utf8')).toBe(`${long}\n`);
    await page.getByLabel('Prompt', { exact: true }).fill('read it');
    await page.keyboard.press('Enter');
    await page.getByText('Second answer.').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.locator('.bar-row').first().waitFor();
    expect(await page.locator('.bar-row strong').allTextContents()).toEqual(['Read']);
    await page.getByRole('button', { name: 'All' }).click();
    await page.locator('.bar-row').nth(1).waitFor();
    await page.locator('.bar-row').first().click();
    await page.getByRole('link', { name: 'To the call' }).click();
    await page.locator('.call.target .call-line:focus').waitFor();
    expect(await page.locator('.call.target').textContent()).toContain('long.txt');
  },
);

inBrowser('trust and choices are answered, and the search finds what was said', async () => {
  const { page, start, cwd, model } = await visit([
    {
      calls: [
        {
          name: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'Which colour?',
                header: 'Colour',
                options: [
                  { label: 'Red', description: 'as a rose' },
                  { label: 'Blue', description: 'as the sea' },
                ],
                multiSelect: false,
              },
            ],
          },
        },
      ],
    },
    { text: 'A remarkable choice.' },
  ]);
  await mkdir(join(cwd, '.claude'));
  await writeFile(join(cwd, '.claude/settings.json'), JSON.stringify({ permissions: { allow: ['Bash(ls)'] } }));
  await start('choose a colour');
  await question(page).getByText('Bash(ls)').waitFor();
  await pressAllow(page);
  await question(page).getByLabel('Blue').check();
  await pressAllow(page);
  await page.getByText('A remarkable choice.').waitFor();
  expect(model.requests.at(-1)?.text).toContain('Blue');
  await page.getByLabel('Search all sessions').fill('remarkable');
  await page.keyboard.press('Enter');
  await page
    .getByRole('region', { name: 'What was said' })
    .getByRole('link', { name: /choose a colour/ })
    .click();
  await page.getByText('A remarkable choice.').waitFor();
});

inBrowser('a page that is not looked at notifies of a question and of the end of the work', async () => {
  const { page, context, start, open } = await visit([
    { calls: [bash('echo made > made.txt')] },
    { text: 'It is made.' },
  ]);
  await context.addInitScript(`
    globalThis.shown = [];
    globalThis.Notification = class extends EventTarget {
      static permission = 'granted';
      constructor(title, { body }) { super(); shown.push(title + ' / ' + body); }
    };
    if (location.host) localStorage.setItem('helve.notify', 'on');
  `);
  const hidden = await open();
  await hidden.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await hidden.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })");
  await start('make the file');
  await expect.poll(() => hidden.evaluate('shown.length'), { timeout: 15_000 }).toBe(1);
  await pressAllow(page);
  await expect.poll(() => hidden.evaluate('shown.length'), { timeout: 15_000 }).toBe(2);
  const shown = await hidden.evaluate<string[]>('shown');
  expect(shown).toEqual([
    expect.stringMatching(/: needs your answer \/ make the file$/),
    expect.stringMatching(/: has ended its work \/ make the file$/),
  ]);
});

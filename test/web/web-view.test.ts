// The web view in a real Chromium, on a real `helve serve` with a scripted model.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bash, faultsOf, inBrowser, phone, pressAllow, question, sharedServer, signIn } from './visit.js';

const visit = sharedServer();

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
  expect(await faultsOf(page, 'refusal of a dangerous call')).toEqual([]);
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
  await page.locator('.session-head .state-idle').waitFor();
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
  const { page, start, served, restart, expectBroken } = await visit([
    { text: 'The beginning, and then the end of it.', holdAfter: { events: 5, until: more.promise } },
  ]);
  await start('begin and end');
  await page.getByText('The beginning').waitFor();
  expectBroken();
  served.process.kill('SIGTERM');
  await served.ended;
  await page.locator('.banner').waitFor();
  expect(await faultsOf(page, 'without a connection')).toEqual([]);
  more.resolve();
  await restart();
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

inBrowser('an answer is shown as being sent until the server has it, and a second press sends none', async () => {
  const { page, context, start, open, url } = await visit([{ calls: [bash('echo a > a.txt')] }, { text: 'Done.' }]);
  const sent: string[] = [];
  const held = Promise.withResolvers<void>();
  await context.routeWebSocket(/\/acp$/, (client) => {
    const server = client.connectToServer();
    client.onMessage(async (message) => {
      if (JSON.parse(String(message)).method === '_helve/session/answer') {
        sent.push(String(message));
        await held.promise;
      }
      server.send(message);
    });
  });
  await start('answer once');
  const other = await open();
  await other.goto(page.url());
  await other.reload();
  await question(other).locator('.allow:not([aria-disabled="true"])').waitFor();
  await other.evaluate(`const yes = document.querySelector('.allow'); yes.click(); yes.click();`);
  await question(other).getByText('Sending the answer…').waitFor();
  expect(await question(other).getByRole('button').count()).toBe(0);
  held.resolve();
  await other.getByText('Done.').waitFor();
  expect(sent).toHaveLength(1);
  await page.goto(`${url}/#/session/none`);
  await page.getByText('There is no session at this address.').waitFor();
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
  for (const name of [/a\.txt/, /b\.txt/]) {
    await question(page).getByRole('heading', { name }).waitFor();
    await pressAllow(page);
  }
  await page.getByText('Both are changed.').waitFor();
  await page.getByRole('link', { name: 'Changes' }).click();
  const files = page.getByRole('navigation', { name: 'Changed files' });
  await files.getByRole('button', { name: /a\.txt/ }).click();
  await page.getByRole('group', { name: 'Changes of a.txt' }).getByText('two').waitFor();
  expect(await faultsOf(page, 'changes of a file')).toEqual([]);
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
  const faults: string[] = [];
  const look = async (name: string): Promise<void> => void faults.push(...(await faultsOf(page, name)));
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
  expect(faults).toEqual([]);
});

inBrowser(
  'a one-time code signs in; a token revoked in the middle says so, and the next one goes on there',
  async () => {
    const more = Promise.withResolvers<void>();
    const answer = { text: 'I work on without you.', holdAfter: { events: 4, until: more.promise } };
    const { page, url, context, helve, token, start } = await visit([answer], { viewport: phone });
    const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec((await helve(['serve', 'code', '--role', 'view'])).stdout)?.[0];
    await context.clearCookies();
    await page.evaluate('localStorage.clear()');
    await page.goto(`${url}/#code=${code}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('One-time code or token').waitFor();
    expect(await faultsOf(page, 'sign in')).toEqual([]);
    await signIn(page, url, await token('admin', 'ada'));
    await start('work while the token is revoked');
    await page.getByText('I work').waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('not sent yet');
    await helve(['serve', 'tokens', 'revoke', 'ada']);
    await page.getByText(/was revoked/).waitFor();
    more.resolve();
    await page.getByLabel('One-time code or token').fill(await token('run', 'grace'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('I work on without you.').waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('not sent yet');
  },
);

inBrowser(
  'a prompt that a stopped server did not answer runs once, after the server was killed and is back',
  async () => {
    const { page, start, served, restart, expectBroken, model } = await visit([
      { text: 'First answer.' },
      { text: 'Second answer.' },
    ]);
    await start('the first prompt');
    await page.getByText('First answer.').waitFor();
    served.process.kill('SIGSTOP');
    await page.getByLabel('Prompt', { exact: true }).fill('the second prompt');
    await page.keyboard.press('Enter');
    await page.getByText('is sent…').waitFor();
    expectBroken();
    served.process.kill('SIGKILL');
    await served.ended;
    await restart();
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
  const deep = Array.from({ length: 240 }, (_, level) => `${'  '.repeat(level)}- ${level}`).join('\n');
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
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('table').waitFor();
    expect(await faultsOf(page, 'timeline as a table')).toEqual([]);
    await page.getByRole('button', { name: 'Bars' }).click();
    await page.locator('.bar-row').first().focus();
    await page.keyboard.press('Enter');
    expect(await faultsOf(page, 'timeline with a chosen call')).toEqual([]);
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
  const faults = await faultsOf(page, 'trust');
  await pressAllow(page);
  await question(page).getByLabel('Blue').waitFor();
  faults.push(...(await faultsOf(page, 'choices')));
  await page.keyboard.press('q');
  await page.keyboard.press('ArrowDown');
  expect(await question(page).getByLabel('Blue').isChecked()).toBe(true);
  await pressAllow(page);
  await page.getByText('A remarkable choice.').waitFor();
  expect(model.requests.at(-1)?.text).toContain('Blue');
  await page.getByLabel('Search all sessions').fill('remarkable');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'What was said' }).waitFor();
  expect([...faults, ...(await faultsOf(page, 'search'))]).toEqual([]);
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

inBrowser('a session that does not answer holds up no prompt and no question of another', async () => {
  const { page, context, url, begin, start } = await visit([
    { text: 'The first session.' },
    { calls: [bash('echo a > a.txt')] },
    { text: 'The second session.' },
    { text: 'And again.' },
  ]);
  const hung = await begin('the session that hangs');
  await context.routeWebSocket(/\/acp$/, (client) => {
    const server = client.connectToServer();
    client.onMessage((message) => {
      const { method, params } = JSON.parse(String(message));
      if (method !== '_helve/prompt' || params.sessionId !== hung) server.send(message);
    });
  });
  await page.goto(`${url}/#/session/${hung}`);
  await page.reload();
  await page.getByText('The first session.').waitFor();
  await page.getByLabel('Prompt', { exact: true }).fill('never answered');
  await page.keyboard.press('Enter');
  await page.getByText('is sent…').waitFor();
  await start('the session that goes on');
  await question(page).waitFor();
  await pressAllow(page);
  await page.getByText('The second session.').waitFor();
  await page.getByLabel('Prompt', { exact: true }).fill('one more');
  await page.keyboard.press('Enter');
  await page.getByText('And again.').waitFor();
});

inBrowser('after an hour of sleep the page says so, and then shows all that was missed', async () => {
  const more = Promise.withResolvers<void>();
  const words = Array.from({ length: 10_000 }, (_, index) => `word${index}`).join(' ');
  const { page, url, context, begin, expectBroken } = await visit([
    { text: `Begun. ${words} The end.`, holdAfter: { events: 5, until: more.promise } },
  ]);
  let isAsleep = false;
  let disconnect = async (): Promise<void> => {};
  await context.routeWebSocket(/\/acp$/, async (client) => {
    if (isAsleep) return await client.close({ code: 1001 });
    const server = client.connectToServer();
    disconnect = async () => await Promise.all([client.close({ code: 1001 }), server.close()]).then(() => {});
  });
  await page.clock.install();
  const id = await begin('talk for an hour');
  await page.goto(`${url}/#/session/${id}`);
  await page.reload();
  await page.getByText('Begun.').waitFor();
  expectBroken();
  isAsleep = true;
  await disconnect();
  more.resolve();
  await page.getByText('What is shown may be out of date.').waitFor();
  await page.clock.fastForward('01:00:00');
  isAsleep = false;
  await page.clock.fastForward(20_000); // the longest pause before another connection is tried
  await page.getByText('The end.').waitFor();
  await page.locator('.banner').waitFor({ state: 'detached' });
  await page.locator('.session-head .state-idle').waitFor();
  const shown = await page.getByRole('log', { name: 'Conversation' }).locator('.markdown').allTextContents();
  expect(shown.join('').match(/word\d+/g)).toHaveLength(10_000);
});

inBrowser('the keys go from session to session, to the prompt and to the question', async () => {
  const { page, url, begin, start } = await visit([{ text: 'One.' }, { calls: [bash('echo a > a.txt')] }]);
  await begin('a session at rest');
  await page
    .getByRole('main')
    .getByRole('link', { name: /a session at rest/ })
    .and(page.locator('.state-idle'))
    .waitFor();
  await start('a session with a question');
  await question(page).waitFor();
  // The list learns of it a moment later, and its order is that of the keys.
  await page
    .getByRole('link', { name: /a session with a question/ })
    .and(page.locator('.state-requires_action'))
    .first()
    .waitFor();
  await page.locator('#main').focus();
  await page.keyboard.press('p');
  await page.locator('#prompt:focus').waitFor();
  await page.keyboard.press('Tab');
  await page.locator('#main').focus();
  await page.keyboard.press('q');
  await question(page).getByRole('button', { name: /^No/ }).and(page.locator(':focus')).waitFor();
  const first = page.url();
  await page.keyboard.press('j');
  await expect.poll(() => page.url()).not.toBe(first);
  await page.keyboard.press('k');
  await expect.poll(() => page.url()).toBe(first);
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toBe(`${url}/#/search/nothing%20like%20it`);
  expect(await faultsOf(page, 'search without results')).toEqual([]);
});

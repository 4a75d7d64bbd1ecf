// The pages of the web view in bench/serve.mjs: when what the model sent was painted in Chromium.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.HELVE_CHROMIUM ?? '/usr/bin/chromium';

export const hasChromium = existsSync(CHROMIUM);

export const startBrowser = async () => await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

/** The list of sessions, signed in. */
export async function openList(browser, url, token) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(url);
  await page.getByLabel('One-time code or token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await page.evaluate(installPaints);
  return page;
}

/** Calls back after each frame: a message that is posted in the callback of a frame arrives when it is painted. */
function installPaints() {
  window.eachPaint = (look) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      window.paintedAt(performance.timeOrigin + performance.now());
      requestAnimationFrame(frame);
    };
    const frame = () => {
      window.paintedAt = look();
      port2.postMessage(0);
    };
    requestAnimationFrame(frame);
  };
}

/** How long each word of the session took that was sent once the page had opened it. */
export async function wordsOfSession(page, url, sessionId) {
  await page.goto(`${url}/#/session/${sessionId}`);
  await page.getByRole('log', { name: 'Conversation' }).waitFor();
  await page.evaluate(() => {
    window.seen = new Map();
    const openedAt = performance.timeOrigin + performance.now();
    window.eachPaint(() => {
      const text = document.querySelector('[role="log"]')?.textContent ?? '';
      const fresh = (text.match(/\d{13}\.\d\d(?!\d)/g) ?? []).filter((word) => !window.seen.has(word));
      return (at) => {
        for (const word of fresh) window.seen.set(word, Number(word) > openedAt ? at - Number(word) : undefined);
      };
    });
  });
  return async () => await page.evaluate(() => [...window.seen.values()].filter((ms) => ms !== undefined));
}

/** How long the row of each session took to say that it has ended its work. `ended`: when it has, by session. */
export async function rowsOfList(page) {
  await page.evaluate(() => {
    window.rested = new Map();
    window.gaps = [];
    let last = performance.now();
    window.eachPaint(() => {
      window.gaps.push(performance.now() - last);
      last = performance.now();
      const rows = [...document.querySelectorAll('main .row.state-idle')].map(({ href }) => href.split('/').at(-1));
      return (at) => {
        for (const id of rows) if (!window.rested.has(id)) window.rested.set(id, at);
      };
    });
  });
  return async (ended) => {
    await page.waitForFunction((ids) => ids.every((id) => window.rested.has(id)), [...ended.keys()]);
    const { rested, gaps } = await page.evaluate(() => ({ rested: [...window.rested], gaps: window.gaps }));
    const took = rested.flatMap(([id, at]) => (ended.has(id) ? [at - ended.get(id)] : []));
    return { took, gaps };
  };
}

// Takes the pictures of the web view in docs/screenshots from real runs: helve serve on a throw-away data folder, background
// sessions of a temporary project with scripted answers of the model, and Chromium. Given names, it takes only those pictures.
// `--looks FOLDER` takes all of them, dark and light, on a desk and a phone, and in two sizes between, into another folder.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { anthropicAt } from './screenshots/answers.mjs';
import { tally } from './screenshots/tally.mjs';
import { sessions, webPictures } from './screenshots/web-pictures.mjs';
import { NOW, withFixedTimes } from './screenshots/web-times.mjs';

const FOLDER = 'docs/screenshots';
const CHROMIUM = process.env['HELVE_CHROMIUM'] ?? '/usr/bin/chromium';
const sizes = {
  desk: { width: 1440, height: 900 },
  laptop: { width: 1280, height: 720 },
  tablet: { width: 800, height: 1000 },
  phone: { width: 390, height: 844 },
};
const looks = ['dark-desk', 'light-desk', 'dark-phone', 'light-phone', 'light-tablet', 'dark-laptop'];
const run = promisify(execFile);
const program = resolve('bin/helve.cjs');
const { startFakeModelServer } = await import(pathToFileURL('dist/testing.mjs').href);

const { values, positionals: wanted } = parseArgs({
  options: { looks: { type: 'string' }, overlay: { type: 'string' } },
  allowPositionals: true,
});
const folder = values.looks ?? FOLDER;
const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-web-')));
const project = join(root, tally.name);
const env = { PATH: process.env['PATH'], HOME: root, HELVE_HOME: join(root, '.helve'), LANG: 'C.UTF-8', TZ: 'UTC' };
const models = [];
let serve;
let browser;
try {
  await mkdir(folder, { recursive: true });
  await makeProject();
  for (const session of sessions) await start(session);
  const { url, token } = await startServe();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--force-color-profile=srgb'] });
  for (const picture of webPictures) {
    if (wanted.length > 0 ? !wanted.includes(picture.name) : picture.isOnlyLook && values.looks === undefined) continue;
    for (const look of looksOf(picture)) await take(look, url, token);
  }
} finally {
  await browser?.close();
  serve?.kill('SIGTERM');
  await helve(['host', 'stop'], env).catch(() => {});
  for (const model of models) await model.close();
  await rm(root, { recursive: true, force: true, maxRetries: 10 }); // the host writes its compiled code as it ends
}

function looksOf(picture) {
  if (values.looks === undefined) return [picture];
  return looks.map((look) => {
    const [theme, size] = look.split('-');
    return { ...picture, theme, size, name: `${picture.name}-${look}` };
  });
}

async function take({ name, theme, size, open }, url, token) {
  const context = await browser.newContext({
    viewport: sizes[size],
    deviceScaleFactor: size === 'phone' ? 2 : 1.5,
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.routeWebSocket(/\/acp$/, (client) => {
    const server = client.connectToServer();
    server.onMessage((message) => client.send(withFixedTimes(String(message))));
  });
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${name}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${name}: ${error.stack}`));
  if (values.overlay) await (await import(pathToFileURL(values.overlay).href)).overlay(page);
  await page.goto(url);
  await page.getByLabel('One-time code or token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
  await open(page);
  await page.evaluate(() => document.activeElement?.blur?.());
  await page.waitForTimeout(600); // buttons that allow something are on
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${folder}/${name}.png`);
  await context.close();
}

async function makeProject() {
  for (const [name, text] of Object.entries(tally.files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  const git = async (...args) =>
    await run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: project, env });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Begin');
}

/** A background session with answers of its own. Resolves once it shows the state that its picture needs. */
async function start({ prompt, answers, settings = {}, flags = [], until }) {
  const model = await startFakeModelServer(answers);
  models.push(model);
  await mkdir(join(root, '.helve'), { recursive: true });
  await writeFile(join(root, '.helve/settings.json'), JSON.stringify(settings));
  const own = { ...env, ...anthropicAt(model.url) };
  await helve(['bg', ...flags, prompt], own);
  for (;;) {
    const rows = (await helve(['ps', '--all', '--json'], own))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    if (rows.some(({ title, state }) => title.startsWith(prompt.slice(0, 20)) && until.includes(state))) return;
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function helve(args, own) {
  return (await run(process.execPath, [program, ...args], { cwd: project, env: { ...own, IS_SANDBOX: '1' } })).stdout;
}

async function startServe() {
  const token = (await helve(['serve', 'tokens', 'add', 'ada', '--role', 'admin'], env)).trim();
  serve = spawn(process.execPath, [program, 'serve', '--port', '0'], { cwd: project, env });
  let said = '';
  const url = await new Promise((done, failed) => {
    serve.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /^url: (\S+)$/m.exec(said)?.[1];
      if (found) done(found);
    });
    serve.once('close', (code) => failed(new Error(`helve serve ended with ${code}: ${said}`)));
  });
  return { url, token };
}

// Takes the screenshots in docs/screenshots from real runs: each has a temporary project, the built command line in its own
// tmux, and the fake model server with a script of the model's answers. Given names, it takes only those screenshots.
// `--looks FOLDER` takes each of them at 60, 110 and 200 columns, dark, light and without colours, into another folder;
// HELVE_SCREENSHOT_PROGRAM names another build of the command line, to compare two versions.
import { mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { drawSvg } from './screenshots/draw-svg.mjs';
import { pictures } from './screenshots/pictures/index.mjs';
import { openTerminal } from './screenshots/terminal.mjs';

const FOLDER = 'docs/screenshots';
const WIDTHS = [60, 110, 200];
const THEMES = ['dark', 'light', 'none'];
const MOST_TRIES = 5;
const { startFakeModelServer } = await import(pathToFileURL('dist/testing.mjs').href);

const { values, positionals: wanted } = parseArgs({ options: { looks: { type: 'string' } }, allowPositionals: true });
const folder = values.looks ?? FOLDER;
await mkdir(folder, { recursive: true });
for (const picture of pictures) {
  if (wanted.length > 0 && !wanted.includes(picture.name)) continue;
  for (const look of values.looks === undefined ? [picture] : allLooks(picture)) {
    const { name, about, columns, theme } = look;
    const svg = drawSvg(steady(await takeInTime(look)), { title: 'helve', about, columns, theme });
    await writeFile(`${folder}/${name}.svg`, svg);
    console.log(`${folder}/${name}.svg: ${Math.ceil(svg.length / 1000)} kB`);
  }
}

function allLooks(picture) {
  return WIDTHS.flatMap((columns) =>
    THEMES.map((theme) => ({ ...picture, name: `${picture.name}-${columns}-${theme}`, columns, theme, rows: 60 })),
  );
}

/** The duration of a call is shown from two seconds on. Here that happens only if the machine is busy. */
async function takeInTime(picture) {
  for (let tries = 1; ; tries += 1) {
    const screen = await take(picture);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours
    const slow = /^[✓✗] .*\d+s$|\b\d\d+s\b|\b\d+m \d+s\b/m.exec(screen.replaceAll(/\u001b\[[\d;]*m/g, ''));
    if (!slow) return screen;
    if (tries === MOST_TRIES) throw new Error(`The machine is too busy for the picture ${picture.name}: ${slow[0]}`);
  }
}

/** The screen of one screenshot, with its colours. */
async function take({
  columns,
  rows,
  theme = 'dark',
  settings = {},
  project,
  answers,
  environment = () => ({}),
  play,
}) {
  const server = await startFakeModelServer(answers);
  const home = { '.helve/settings.json': JSON.stringify({ theme, ...settings }, null, 2) };
  const env = { ...environment(server.url), ...(theme === 'none' && { NO_COLOR: '1' }) };
  const terminal = await openTerminal({ columns, rows, project, home, env });
  const say = async (text) => {
    await terminal.type(text);
    await terminal.press('Enter');
  };
  try {
    await play({ ...terminal, say });
    if (server.refused.length > 0) throw new Error(`A request was wrong: ${JSON.stringify(server.refused)}`);
    return await terminal.capture();
  } finally {
    await terminal.close();
    await server.close();
  }
}

/**
 * The spinner's frame and durations differ in each run. Both are set to one value, so that two runs give the same
 * screenshot. Nothing else is changed.
 */
function steady(screen) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a time may stand right behind the code of its colour
  return screen.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠹').replaceAll(/(?<=\s|\u001b\[[\d;]*m)\d+s(?!\w)/g, '4s');
}

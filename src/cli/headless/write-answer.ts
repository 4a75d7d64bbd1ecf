import { leftWords } from '../../agent/budget/budget-words.js';
import { visible } from '../../platform/text/visible.js';
import { allowingFlag } from '../allowing-flag.js';
import { columnsOf } from '../terminal-width.js';
import { wrapped, writeLine } from '../write-line.js';
import type { FinishedRun } from './finish-run.js';

/** Whether a person watches the run: then its steps are shown, the answer is rendered, and the session is named. */
export interface AnswerOptions {
  isWatched: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** Undefined if the session is not saved. */
  sessionId: string | undefined;
}

/** The answer to stdout, and the rest to stderr. A program gets the text unchanged. */
export async function writeAnswer(run: FinishedRun, { isWatched, env, sessionId }: AnswerOptions): Promise<void> {
  const { text, failed } = run;
  if (failed) await writeLine(process.stderr, wrapped(`helve: ${visible(text)}`, process.stderr));
  else if (isWatched && process.stdout.isTTY) await writeLine(process.stdout, await rendered(text, env));
  else await writeLine(process.stdout, process.stdout.isTTY ? visible(text) : text);
  for (const line of deniedLines(run)) await writeLine(process.stderr, line);
  if (isWatched) for (const use of run.budget ?? []) await writeLine(process.stderr, `Budget: ${leftWords(use)}`);
  if (isWatched && sessionId !== undefined) {
    await writeLine(process.stderr, `To continue: helve --resume ${sessionId}`);
  }
}

/** Markdown as the terminal shows it. */
async function rendered(text: string, env: AnswerOptions['env']): Promise<string> {
  const { MarkdownView } = await import('../../terminal/views/markdown-view.js');
  const { chooseTheme, supportsLinks, Theme } = await import('../../terminal/screen/theme.js');
  const view = new MarkdownView(new Theme(chooseTheme({ env }), { links: supportsLinks(env) }), text);
  view.finish();
  return view.render(columnsOf(process.stdout)).join('\n');
}

/** Which calls were denied, and on a line of their own the flags that would have allowed them, to be copied as they are. */
function deniedLines({ denials, allowable = [] }: FinishedRun): string[] {
  if (denials.length === 0) return [];
  const names = [...new Set(denials.map(({ tool }) => tool))].join(', ');
  const [what, them] =
    denials.length === 1
      ? [`a call was denied (${names})`, 'it']
      : [`${denials.length} calls were denied (${names})`, 'such calls'];
  const flags = [...new Set(allowable.map(allowingFlag))];
  const way = flags.length === 0 ? '' : ` To allow ${them}, add:`;
  const sentence = wrapped(visible(`helve: ${what}. helve audit show last says why.${way}`), process.stderr);
  return [sentence, ...(flags.length === 0 ? [] : [`  ${visible(flags.join(' '))}`])];
}

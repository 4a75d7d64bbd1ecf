import { table } from '../../platform/text/table.js';
import type { DemoWords } from './script.js';

export interface OwnCommand {
  /** What a user can type here to run Helve. */
  helve: string;
  /** What an alias `helve` must run, if the shell does not find `helve`. */
  elsewhere?: string | undefined;
}

/** What the demo says of itself at a terminal. */
export interface TerminalDemoWords extends DemoWords {
  welcome: string;
  farewell: string;
}

export const terminalDemoWords = (own: OwnCommand): TerminalDemoWords => ({
  welcome:
    'This is a demo: a script plays the model, in a temporary sample project. Nothing leaves your machine.\n' +
    'Press Enter to send the prompt below. Helve asks before it changes or deletes anything.',
  ending: [
    'Now try:',
    '',
    '- `/undo` takes back what was changed since your prompt. It restores what a command deleted, too.',
    '- `/diff` shows everything that has changed.',
    '- `/rewind` returns to your prompt, and restores the files.',
    '- `/quit` leaves the demo. It removes the sample project and says how to use a real model: with a sign-in, an API key, or a model on this machine.',
  ].join('\n'),
  afterwards: `The script of this demo ends here, so I can't answer that. To work with a real model, leave with \`/quit\` and run \`${own.helve}\` in your project: there, \`/login\` signs in to a plan or an account, \`/key\` stores an API key, and \`/model\` chooses a model, also one of Ollama or LM Studio on this machine. \`/undo\`, \`/diff\` and \`!command\` still work here.`,
  farewell: nextSteps(own),
});

export const lineDemoWords = (own: OwnCommand): DemoWords & { introduction: string; farewell: string } => ({
  introduction: [
    'A demo of Helve. A script plays the model, so it needs no key and no network.',
    'Everything else is real: a project in a temporary folder, the tools, the tests, and',
    'the permission questions, which the demo answers with yes. On a terminal, you answer them.',
  ].join('\n'),
  ending: 'Each of these changes can be undone, the deleted folder too.',
  afterwards: 'The script of this demo ends here.',
  farewell: nextSteps(own),
});

/** In a clone the alias comes first: it works in every folder, and without the engine warnings of npx on Node 20. */
function nextSteps({ helve, elsewhere }: OwnCommand): string {
  const name = elsewhere === undefined ? helve : 'helve';
  const steps = [
    [`${name} login openai`, 'signs in with a ChatGPT plan; openrouter and copilot work too'],
    ['export ANTHROPIC_API_KEY=…', `uses an API key; ${name} models lists the providers and their variables`],
    [`${name} --model ollama/NAME`, 'uses a model on this machine: Ollama and LM Studio need no key'],
    [name, 'starts it in your project; inside, /login, /key and /model do the same'],
  ] as const;
  const alias = elsewhere === undefined ? [] : [`  alias helve="${elsewhere}"`];
  return ['To use Helve with a real model:', ...alias, ...table(steps)].join('\n');
}

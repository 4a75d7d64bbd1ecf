import { onTestFinished } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { startTerminal, type TerminalOptions, type TestTerminal } from './tmux.js';

export interface Conversed {
  server: FakeModelServer;
  terminal: TestTerminal;
  /** Types a prompt and sends it. */
  say(text: string): Promise<void>;
}

/** A terminal with helve in it, and a model that gives these answers. Settles when it can be typed. */
export async function converse(answers: FakeAnswers, options: TerminalOptions = {}): Promise<Conversed> {
  const server = await startFakeModelServer(answers);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env };
  const terminal = await startTerminal({ ...options, env });
  onTestFinished(async () => {
    await terminal.close();
    await server.close();
  });
  await terminal.shows(options.shows ?? 'Helve');
  return {
    server,
    terminal,
    async say(text) {
      await terminal.type(text);
      await terminal.press('Enter');
    },
  };
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/compose/create-agent.js';
import type { RunResult } from '../../src/contract/event.js';
import { defineTool } from '../../src/contract/tool.js';
import {
  type FakeAnswer,
  type FakeModelServer,
  startFakeModelServer,
  temporaryProject,
} from '../../src/testing/index.js';
import { wires } from './wire-formats.js';

const inputs = [
  { mark: 'first', text: 'größer "😀" \\ \n' },
  { mark: 'second', text: '', more: [1, null, { deep: true }] },
  { mark: 'third', text: 'x'.repeat(60) },
];

const recorder = (ran: unknown[]) =>
  defineTool({
    name: 'Record',
    description: 'Records its input.',
    input: z.looseObject({ mark: z.string() }),
    effects: () => [],
    async execute(input) {
      ran.push(input);
      return `recorded ${input.mark}`;
    },
    toModel: (text) => text,
  });

/** Asks for what has no result yet, and is done when all of it has: so a call that got lost is made again. */
function answerTo(request: string): FakeAnswer {
  const missing = inputs.filter(({ mark }) => !request.includes(`recorded ${mark}`));
  if (missing.length === 0) return { text: 'Done.' };
  return {
    thinking: { text: 'Three notes, I think… 🧠', signature: 'c2lnbmF0dXJl/+==' },
    text: 'Ich schreibe alles auf: 你好.',
    calls: missing.map((input) => ({ name: 'Record', input })),
  };
}

const project = await temporaryProject();

interface Told {
  ran: unknown[];
  result: RunResult;
  server: FakeModelServer;
}

interface Break {
  /** Of the first answer. */
  dropAfterBytes: number;
  /** Whether a request of which nothing was completed is sent again at once, or only when the person asks. */
  retries: boolean;
}

async function tell({ modelAt }: (typeof wires)[number], { dropAfterBytes, retries }: Break): Promise<Told> {
  const server = await startFakeModelServer(({ text }, number) => ({
    ...answerTo(text),
    ...(number === 0 && { dropAfterBytes }),
  }));
  const ran: unknown[] = [];
  const agent = createAgent({
    model: await modelAt(server.url),
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [recorder(ran)],
    retries: retries && { baseMs: 0, wait: async () => {} },
  });
  const run = async (prompt: string): Promise<RunResult> => {
    const last = (await Array.fromAsync(agent.run(prompt))).at(-1);
    if (last?.type !== 'result') throw new Error('The last event is no result.');
    return last;
  };
  try {
    const first = await run('Go.');
    if (retries) expect(first.outcome).toBe('completed');
    const result = first.outcome === 'model_error' ? await run('Go on.') : first;
    return { ran, result, server };
  } finally {
    await agent.end();
    await server.close();
  }
}

const place = (length: number) => fc.noBias(fc.integer({ min: 1, max: length }));

test.each(wires)('a stream of $name cut anywhere: no crash, a valid history, no call run twice', async (wire) => {
  const { format } = wire;
  const events = format.events(answerTo(''), 1).map((event) => (format.frame?.(event) ?? Buffer.from(event)).length);
  const length = events.reduce((sum, bytes) => sum + bytes, 0);
  await fc.assert(
    fc.asyncProperty(place(length), fc.boolean(), async (dropAfterBytes, retries) => {
      const { ran, result, server } = await tell(wire, { dropAfterBytes, retries });
      expect(server.refused).toEqual([]);
      expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' });
      expect(ran).toEqual(inputs); // each exactly once, with its exact input
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 500 : 40, seed: 20_261_115 },
  );
});

test.each(wires)(
  'the complete answer of $name, which the test cuts, has thinking, text and three calls',
  async (wire) => {
    const { ran, server } = await tell(wire, { dropAfterBytes: Number.POSITIVE_INFINITY, retries: false });
    expect(ran).toEqual(inputs);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.text).toContain('Ich schreibe alles auf: 你好.');
  },
);

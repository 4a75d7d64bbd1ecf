// Hooks that misbehave, and calls that try to reach into them: the run goes on, and nothing is loosened by it.
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { calls, decides, done, hook, hookedAgent, prints } from './hooked-agent.js';

const write = (file_path: string, content = 'new\n'): [string, unknown] => ['Write', { file_path, content }];

/** Depth that a parser takes and a careless walk through the value does not. */
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const nested = (inside: string): string => `${'['.repeat(20_000)}${inside}${']'.repeat(20_000)}`;

test.each([
  ['closes everything at once', 'exec 0<&- 1>&- 2>&-'],
  ['never reads its input', 'exit 0'],
  ['leaves a child that holds its output', 'sleep 600 & echo $! > child.txt'],
  ['is killed', 'kill -9 $$'],
  ['does not exist', './no-such-hook'],
  ['prints what is no JSON', 'echo "{nonsense"'],
  ['answers with a list', 'echo "[1,2]"'],
  [
    'answers with wrong types',
    prints({ hookSpecificOutput: { hookEventName: 5, additionalContext: {} }, systemMessage: 7 }),
  ],
  ['answers with names of the workings of objects', `echo '{"__proto__":{"x":1},"constructor":{"x":1}}'`],
  ['answers with nothing but depth', `echo '${deep(20_000)}'`],
])('a hook that %s decides nothing, and the call runs', async (_, command) => {
  const { run, place } = await hookedAgent({
    turns: [calls(write('a.txt')), done],
    settings: hook('PreToolUse', command),
  });
  const { result } = await run();
  expect(result.outcome).toBe('completed');
  expect(place.text('project/a.txt')).toBe('new\n');
  if (existsSync(place.path('project/child.txt'))) process.kill(Number(place.text('project/child.txt')));
});

test.each<[string, string, Record<string, unknown>?]>([
  ['prints its refusal behind other text', `echo debug; ${decides('deny')}`],
  ['refuses and is killed', `${decides('deny')}; kill -9 $$`],
  ['refuses with exit code 2 and prints that it allows', `${decides('allow')}; exit 2`],
  ['answers with an unknown word', decides('maybe')],
  ['refuses in another spelling', decides('DENY')],
  ['refuses by the older form', prints({ decision: 'block', reason: 'no' })],
  [
    'refuses for another event',
    prints({ hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'deny' } }),
  ],
  ['refuses outside of the envelope', prints({ permissionDecision: 'deny' })],
  ['refuses and goes on printing', `${decides('deny')}; head -c 3000000 /dev/zero | tr "\\0" x`],
  ['refuses below names of the workings of objects', `echo '{"__proto__":{"continue":false}}'`],
  ['refuses and fails', `${decides('deny')}; exit 1`],
  ['prints a flood', 'head -c 50000000 /dev/zero | tr "\\0" x'],
  ['prints a flood that begins like an answer', `printf '{"decision":"'; head -c 5000000 /dev/zero | tr "\\0" x`],
  ['refuses in UTF-16', `printf '{"decision":"block"}' | sed 's/./&\\x00/g'`],
  ['refuses at a depth that nothing can hold', `echo '{"permissionDecision":${nested('"deny"')}}'`],
  ['refuses beside such a depth', `echo '{"decision":"block","a":${nested('')}}'`],
  ['refuses on the line that sends it to the background', prints({ async: true, decision: 'block' })],
  ['changes the input and then hangs', `${decides('allow', { updatedInput: {} })}; sleep 600`, { timeout: 0.5 }],
])('a hook that %s refuses', async (_, command, more = {}) => {
  const { run, place } = await hookedAgent({
    turns: [calls(write('a.txt')), done],
    settings: hook('PreToolUse', command, more),
  });
  const { results } = await run();
  expect(results['a']).toContain('was not run: the hook');
  expect(existsSync(place.path('project/a.txt'))).toBe(false);
});

test.each([
  ['for another event', prints({ hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow' } })],
  ['outside of the envelope', prints({ permissionDecision: 'allow' })],
  ['behind other text', `echo debug; ${decides('allow')}`],
])('a hook that allows %s allows nothing', async (_, command) => {
  const engine = { permissionMode: 'default' } as const;
  const { run } = await hookedAgent({
    turns: [calls(write('a.txt')), done],
    settings: hook('PreToolUse', command),
    engine,
  });
  expect((await run()).decisions['a']).toBe('ask');
});

test('an input that is nested too deeply is refused, and the run continues', async () => {
  const answer = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":${deep(20_000)}}}'`;
  const { run } = await hookedAgent({ turns: [calls(write('a.txt')), done], settings: hook('PreToolUse', answer) });
  const { result, events } = await run();
  expect(result.outcome).toBe('completed');
  expect(events.find((event) => event.type === 'tool_result')).toMatchObject({ result: { is_error: true } });
});

test("the input of a call never becomes part of a command, only of the hook's stdin", async () => {
  const hostile = `a'; touch pwned; '$(touch pwned)\`touch pwned\`";touch pwned;"\n\${IFS}\u0000.txt`;
  const settings = hook(
    'PreToolUse',
    `jq -r '.tool_input.content' > seen.txt; echo "\${CLAUDE_PROJECT_DIR}" > root.txt`,
  );
  const { run, place } = await hookedAgent({
    turns: [calls(write('a.txt', hostile.replace('\u0000', ''))), done],
    settings,
  });
  await run();
  expect(place.text('project/seen.txt')).toBe(`${hostile.replace('\u0000', '')}\n`);
  expect(place.text('project/root.txt')).toBe(`${place.root}\n`);
  expect(existsSync(place.path('project/pwned'))).toBe(false);
});

test('the strictest of many hooks decides, whatever their order', async () => {
  const group = (command: string) => ({ hooks: [{ type: 'command', command }] });
  const allowing = Array.from({ length: 12 }, (_, index) => group(`: ${index}; ${decides('allow')}`));
  const settings = {
    hooks: {
      PreToolUse: [...allowing, group(decides('deny', { permissionDecisionReason: 'one is enough' })), ...allowing],
    },
  };
  const { run } = await hookedAgent({ turns: [calls(write('a.txt')), done], settings });
  expect((await run()).results['a']).toContain('one is enough');
});

/** A server that answers as `respond` does, on this machine only. */
async function serverThat(respond: (response: ServerResponse) => void) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    request.resume();
    request.on('end', () => respond(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

test.each<[string, (response: ServerResponse) => void]>([
  ['redirects', (response) => response.writeHead(307, { location: '/elsewhere' }).end()],
  ['never ends its answer', (response) => response.writeHead(200).write('{"decision":')],
  ['sends its answer drop by drop', (response) => void setInterval(() => response.write(' '), 50).unref()],
  ['closes the connection', (response) => void response.destroy()],
])('a hook on a server that %s decides nothing, and the call does not wait beyond its timeout', async (_, respond) => {
  const { url, requests, close } = await serverThat(respond);
  const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url, timeout: 0.5 }] }] } };
  const { run, place } = await hookedAgent({ turns: [calls(write('a.txt')), done], settings });
  const { notices } = await run();
  close();
  expect(requests).toEqual(['/hook']);
  expect(place.text('project/a.txt')).toBe('new\n');
  expect(notices.join('\n')).toContain('failed:');
});

const answer = (fields: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const safe = answer({ updatedInput: { file_path: 'a.txt', content: 'safe' } });

test.each<[string, (response: ServerResponse) => void]>([
  ['floods', (response) => void response.end('x'.repeat(5_000_000))],
  ['refuses and keeps the connection', (response) => response.write(answer({ permissionDecision: 'deny' }))],
  ['changes the input and keeps the connection', (response) => response.write(safe)],
  ['changes the input in broken JSON', (response) => void response.end(safe.slice(0, -1))],
  ['changes the input in a list', (response) => void response.end(`[${safe}]`)],
  ['changes the input in a text', (response) => void response.end(JSON.stringify(safe))],
])('a hook on a server that %s refuses', async (_, respond) => {
  const { url, close } = await serverThat(respond);
  const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url, timeout: 0.5 }] }] } };
  const { run, place } = await hookedAgent({ turns: [calls(write('a.txt')), done], settings });
  const { notices } = await run();
  close();
  expect(existsSync(place.path('project/a.txt'))).toBe(false);
  expect(notices.join('\n')).toContain('To be safe, this counts as a refusal');
});

import { expect, test } from 'vitest';
import type { HookEvent } from '../contract/hook.js';
import { readJsonAnswer, readValue } from './read-answer.js';
import { type CommandEnd, readCommandAnswer } from './read-command-answer.js';

const end = (changes: Partial<CommandEnd>): CommandEnd => ({
  exitCode: 0,
  signal: null,
  stdout: '',
  stderr: '',
  overflowed: false,
  timedOut: false,
  ...changes,
});

const printed = (event: HookEvent, output: unknown, changes: Partial<CommandEnd> = {}) =>
  readCommandAnswer(event, end({ stdout: typeof output === 'string' ? output : JSON.stringify(output), ...changes }));

const pre = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const fine = { failures: [], remarks: [] };

test('no output means no answer', () => {
  expect(printed('PreToolUse', '')).toEqual(fine);
  expect(printed('PreToolUse', {})).toEqual(fine);
  expect(printed('PreToolUse', { decision: null, hookSpecificOutput: null, reason: '' })).toEqual(fine);
});

test.each(['allow', 'deny', 'ask'] as const)('accepts the decision %s with its reason', (behavior) => {
  const output = pre({ permissionDecision: behavior, permissionDecisionReason: 'because' });
  expect(printed('PreToolUse', output)).toEqual({ ...fine, behavior, reason: 'because' });
});

test('accepts the older names of decisions', () => {
  expect(printed('PreToolUse', { decision: 'block', reason: 'no' })).toEqual({
    ...fine,
    behavior: 'deny',
    reason: 'no',
  });
  expect(printed('PreToolUse', { decision: 'approve', reason: 'yes' })).toEqual({
    ...fine,
    behavior: 'allow',
    reason: 'yes',
  });
});

test('the stricter of two decisions in one answer counts', () => {
  const output = { ...pre({ permissionDecision: 'allow' }), decision: 'block', reason: 'no' };
  expect(printed('PreToolUse', output)).toEqual({ ...fine, behavior: 'deny', reason: 'no' });
});

test('accepts a new input and text for the model', () => {
  const output = pre({ updatedInput: { command: 'ls' }, additionalContext: 'listed' });
  expect(printed('PreToolUse', output)).toEqual({
    ...fine,
    updatedInput: { command: 'ls' },
    additionalContext: 'listed',
  });
});

test.each([
  ['without its envelope', { permissionDecision: 'deny' }],
  ['in the envelope of another event', { hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' } }],
  ['in the shape of another event', pre({ decision: { behavior: 'deny' } })],
  ['as a bare word in the envelope', pre({ decision: 'block' })],
  ['in capitals', pre({ permissionDecision: 'DENY' })],
  ['as an unknown word', pre({ permissionDecision: 'dney' })],
  ['as a value that is not a string', pre({ permissionDecision: true })],
  ['by stopping the agent', { continue: false }],
  ['with text before it', 'Loading profile\n{"decision": "block"}'],
  ['with text after it', '{"hookSpecificOutput": {"permissionDecision": "deny"}}\ndone'],
  ['as Python prints it', "{'decision': 'block'}"],
  ['as Python prints it, with other text', "checked\n{'hookSpecificOutput': {'permissionDecision': 'deny'}}"],
  ['as YAML', 'decision: block'],
  ['as a text inside JSON', { hookSpecificOutput: '{"permissionDecision": "deny"}' }],
  ['in another spelling', { hook_specific_output: { permission_decision: 'deny' } }],
  ['in another spelling inside', pre({ permission_decision: 'deny' })],
  ['inside something else', { output: pre({ permissionDecision: 'deny' }) }],
  ['in a list', [pre({ permissionDecision: 'deny' })]],
  ['in a list of one word', ['deny']],
  ['by stopping the agent in a word', { continue: 'no' }],
  ['by stopping the agent in text', "{'continue': False}"],
  ['by stopping the agent in the envelope', pre({ continue: false })],
  ['as a word', '"no"'],
  ['as a word with its reason', 'Denied: it leaves the project'],
  ['cut off', '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDeci'],
])('a refusal %s still refuses', (_, output) => {
  expect(printed('PreToolUse', output)).toMatchObject({ behavior: 'deny' });
});

test.each([
  ['without its envelope', { permissionDecision: 'allow' }],
  ['in the envelope of another event', { hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'allow' } }],
  ['in the shape of another event', pre({ decision: { behavior: 'allow' } })],
  ['with text before it', 'Loading\n{"hookSpecificOutput": {"permissionDecision": "allow"}}'],
])('an allow %s allows nothing, and is reported', (_, output) => {
  const answer = printed('PreToolUse', output);
  expect(answer.behavior).toBeUndefined();
  expect(answer.failures).not.toEqual([]);
});

test.each([
  ['outside its envelope', { updatedInput: { command: 'ls' } }],
  ['in another spelling', pre({ permissionDecision: 'allow', updated_input: { command: 'ls' } })],
  ['with letters missing', pre({ permissionDecision: 'allow', updateInput: { command: 'ls' } })],
  ['in other capitals', pre({ permissionDecision: 'allow', updatedinput: { command: 'ls' } })],
  ['under another name', pre({ tool_input: { command: 'ls' } })],
  ['of another event', { hookSpecificOutput: { hookEventName: 'Stop', updatedInput: { command: 'ls' } } }],
  ['in the shape of another event', pre({ decision: { updatedInput: { command: 'ls' } } })],
  ['inside something else', { output: pre({ updatedInput: { command: 'ls' } }) }],
  ['as a text', pre({ permissionDecision: 'allow', updatedInput: 'ls' })],
  ['as an empty text', pre({ permissionDecision: 'allow', updatedInput: '' })],
  ['as a list', pre({ updatedInput: ['ls'] })],
])('a new input %s refuses the call, since the hook does not want the original input', (_, output) => {
  const answer = printed('PreToolUse', output);
  expect(answer).toMatchObject({ behavior: 'deny', remarks: [], failures: [expect.any(String)] });
  expect(answer.reason).toContain('The answer of the hook must be corrected, not the call');
  expect(answer.updatedInput).toBeUndefined();
  expect(readValue('PreToolUse', output)).toEqual(answer);
});

test.each([
  { behavior: 'allow', updatedInput: 'ls' },
  { behavior: 'allow', updated_input: { command: 'ls' } },
  { behavior: 'allow', input: { command: 'ls' } },
])('in a PermissionRequest hook, an allow with an invalid input leaves the question open: %j', (decision) => {
  const output = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
  expect(printed('PermissionRequest', output)).toMatchObject({ behavior: 'ask', failures: [expect.any(String)] });
});

test('an envelope of another event is reported once', () => {
  const output = { hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' } };
  expect(printed('PreToolUse', output)).toMatchObject({
    behavior: 'deny',
    failures: ['its "hookSpecificOutput" is for Stop, not for PreToolUse'],
    remarks: [],
  });
});

test('exit code 2 refuses with the text on stderr, regardless of the output', () => {
  expect(printed('PreToolUse', '', { exitCode: 2, stderr: 'not here\n' })).toEqual({
    ...fine,
    behavior: 'deny',
    reason: 'not here',
  });
  const allowing = pre({ permissionDecision: 'allow', updatedInput: { command: 'ls' } });
  expect(printed('PreToolUse', allowing, { exitCode: 2, stderr: 'no' })).toEqual({
    ...fine,
    behavior: 'deny',
    reason: 'no',
  });
  expect(printed('PreToolUse', { decision: 'block', reason: 'printed' }, { exitCode: 2, stderr: 'said' })).toEqual({
    ...fine,
    behavior: 'deny',
    reason: 'printed',
  });
});

test.each(['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SubagentStop', 'PreCompact'] as const)(
  'exit code 2 and the decision to block object at %s',
  (event) => {
    expect(printed(event, '', { exitCode: 2, stderr: 'no' })).toEqual({ ...fine, block: { reason: 'no' } });
    expect(printed(event, { decision: 'block', reason: 'no' })).toEqual({ ...fine, block: { reason: 'no' } });
  },
);

test.each(['SessionStart', 'SessionEnd', 'Notification', 'SubagentStart'] as const)(
  'exit code 2 stops nothing at %s, but its stderr is reported',
  (event) => {
    const answer = printed(event, '', { exitCode: 2, stderr: 'oh' });
    expect(answer).toEqual({ failures: [], remarks: [expect.stringContaining('said: oh')] });
  },
);

test.each(['UserPromptSubmit', 'SessionStart'] as const)('plain text at %s is for the model', (event) => {
  expect(printed(event, 'It is Monday.\n')).toEqual({ ...fine, additionalContext: 'It is Monday.' });
  expect(printed(event, 'half', { exitCode: 1 }).additionalContext).toBeUndefined();
});

test('plain text at other events is ignored', () => {
  expect(printed('PreToolUse', 'checked 3 files')).toEqual(fine);
  expect(printed('PostToolUse', '[1, 2]')).toEqual(fine);
});

test('any other exit code is a failure, unless an answer was printed', () => {
  expect(printed('PreToolUse', '', { exitCode: 1, stderr: 'boom' })).toEqual({
    remarks: [],
    failures: ['it ended with exit code 1 and said: boom'],
  });
  expect(printed('PreToolUse', '', { exitCode: 127 }).failures).toEqual([expect.stringContaining('command not found')]);
  expect(printed('PreToolUse', '', { exitCode: null, signal: 'SIGSEGV' }).failures).toEqual([
    'it was ended by SIGSEGV',
  ]);
  expect(printed('PreToolUse', pre({ permissionDecision: 'deny' }), { exitCode: 1 })).toMatchObject({
    behavior: 'deny',
    failures: [],
    remarks: [expect.stringContaining('exit code 1')],
  });
});

test('invalid JSON is a failure', () => {
  expect(printed('PostToolUse', '{"decision": }').failures).toEqual([expect.stringContaining('starts like JSON')]);
  expect(printed('PreToolUse', { hookSpecificOutput: 5 }).failures).toEqual([
    'its "hookSpecificOutput" must be an object, but was 5',
  ]);
  expect(printed('PreToolUse', pre({ updatedInput: ['ls'] })).failures).toEqual([
    'its "updatedInput" must be an object, but was ["ls"]',
  ]);
  expect(printed('PreToolUse', '[1]').failures).toEqual(['its answer must be an object, but was [1]']);
  expect(printed('Stop', { decision: 'later' }).block).toBeUndefined();
});

test('a byte order mark before the answer is ignored', () => {
  expect(printed('PreToolUse', '\uFEFF {"decision": "block"}').behavior).toBe('deny');
});

test('only a refusal counts from a hook that timed out', () => {
  const allowing = pre({ permissionDecision: 'allow', additionalContext: 'x' });
  expect(printed('PreToolUse', allowing, { timedOut: true, exitCode: null })).toEqual(fine);
  expect(printed('PreToolUse', { decision: 'block' }, { timedOut: true, exitCode: null }).behavior).toBe('deny');
});

test('stops the agent with a reason for the person, with an optional message', () => {
  expect(printed('PostToolUse', { continue: false, stopReason: 'enough', systemMessage: 'look' })).toEqual({
    ...fine,
    stop: { reason: 'enough' },
    message: 'look',
  });
});

test('accepts a replacement for the result that the model sees', () => {
  const output = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { text: 'short' } } };
  expect(printed('PostToolUse', output)).toEqual({ ...fine, updatedOutput: { value: { text: 'short' } } });
});

test('reports fields that are not supported', () => {
  const output = { hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: ['/a'], additionalContext: 'x' } };
  expect(printed('SessionStart', output)).toEqual({
    additionalContext: 'x',
    failures: [],
    remarks: ['its "watchPaths" is not supported here and was left out'],
  });
  expect(printed('PreToolUse', { suppressOutput: true })).toEqual(fine);
});

test('answers a permission request', () => {
  const answer = (decision: object) =>
    readJsonAnswer('PermissionRequest', { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
  expect(answer({ behavior: 'allow', updatedInput: { command: 'ls' } })).toEqual({
    ...fine,
    behavior: 'allow',
    updatedInput: { command: 'ls' },
  });
  expect(answer({ behavior: 'deny', message: 'no', interrupt: true })).toEqual({
    ...fine,
    behavior: 'deny',
    reason: 'no',
    stop: { reason: 'no' },
  });
});

test.each([
  { behavior: 'deny' },
  { behavior: 'DENIED', message: 'no' },
  { hookSpecificOutput: { behavior: 'deny' } },
  { action: 'block' },
  { allow: false },
  { ok: false, reason: 'no' },
  { blocked: true },
])('a clear refusal counts in any field, and is reported: %j', (output) => {
  for (const event of ['PreToolUse', 'PermissionRequest'] as const) {
    expect(printed(event, output)).toMatchObject({
      behavior: 'deny',
      failures: [expect.stringMatching(/which is not known here\. A refusal is written \{/)],
    });
  }
  expect(printed('UserPromptSubmit', output).block).toBeDefined();
  expect(printed('Notification', output)).toMatchObject({
    failures: [],
    remarks: [expect.stringContaining('stops nothing')],
  });
});

test('an allow in an unknown field allows nothing, and is reported', () => {
  const answer = printed('PreToolUse', { behavior: 'allow' });
  expect(answer.behavior).toBeUndefined();
  expect(answer.failures).toEqual(['its "behavior" is "allow", which is not known here, so it allows nothing']);
  expect(printed('PreToolUse', { verdict: 7 }).failures).toEqual([
    'its answer {"verdict":7} has no field that is known here',
  ]);
});

test.each([['deny'], ['"deny"'], ['false'], ['Blocked\n']])('a command that prints only %j refuses', (text) => {
  expect(printed('PreToolUse', text)).toMatchObject({
    behavior: 'deny',
    failures: [expect.stringMatching(/is an object|must be an object/)],
  });
});

test('an answer that is not an object is reported, even null, and a refusal in it counts', () => {
  expect(printed('PreToolUse', 'null').failures).toEqual(['it printed null, where an answer is an object']);
  expect(readValue('PreToolUse', null)).toEqual({
    failures: ['its answer must be an object, but was null'],
    remarks: [],
  });
  expect(readValue('PreToolUse', 'deny')).toMatchObject({ behavior: 'deny', reason: 'it answered "deny"' });
  expect(readValue('PreToolUse', false)).toMatchObject({ behavior: 'deny' });
});

test('a refusal counts if a program returns it as an Error or as an instance of a class', () => {
  class Answer {
    get decision() {
      return 'block';
    }
  }
  for (const value of [new Error('no'), new Answer(), Object.create({ decision: 'block' }), 'block: no', ['deny']]) {
    expect(readValue('PreToolUse', value)).toMatchObject({ behavior: 'deny' });
    expect(readValue('UserPromptSubmit', value).block).toBeDefined();
  }
});

test('a refusal in data or in text for people does not count', () => {
  const output = {
    systemMessage: 'deny',
    reason: 'block',
    ...pre({ updatedInput: { decision: 'block', allow: false }, additionalContext: '{"decision": "block"}' }),
  };
  expect(printed('PreToolUse', output).behavior).toBeUndefined();
  const echoed = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'echo decision: block' } };
  for (const stdout of [JSON.stringify(echoed), JSON.stringify(echoed, null, 2)]) {
    expect(readCommandAnswer('PreToolUse', end({ stdout }), JSON.stringify(echoed)).behavior).toBeUndefined();
  }
  const rules = [{ type: 'addRules', behavior: 'deny', rules: [] }];
  const decision = { behavior: 'allow', updatedPermissions: rules };
  const request = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
  expect(printed('PermissionRequest', request).behavior).toBe('allow');
  expect(printed('UserPromptSubmit', 'Use the option decision: block, and "allow": false.').block).toBeUndefined();
});

const changed = JSON.stringify(pre({ updatedInput: { command: 'pwd' } }));
const given = JSON.stringify({ hook_event_name: 'PreToolUse', tool_input: { command: 'ls', description: 'x' } });

test.each([
  ['without its last brace', changed.slice(0, -1)],
  ['truncated after its name', changed.slice(0, changed.indexOf('updatedInput') + 13)],
  ['after a line of text', `log\n${changed}`],
  ['before a line of text', `${changed}\nbye`],
  ['in a list', `[${changed}]`],
  ['as a text', JSON.stringify(changed)],
  ['as a text in its envelope', JSON.stringify({ hookSpecificOutput: '{"updatedInput":{"command":"pwd"}}' })],
  ['as Python prints it', "{'hookSpecificOutput': {'updatedInput': {'command': 'pwd'}}}"],
  ['as Ruby prints it', '{:hookSpecificOutput=>{:updated_input=>{:command=>"pwd"}}}'],
  ['in typographic quotes', '{“hookSpecificOutput”: {“updatedInput”: {“command”: “pwd”}}}'],
  ['as YAML', 'hookSpecificOutput:\n  tool_input:\n    command: pwd'],
  ['with a typo', '{"updtedInput": {"command": "pwd"}'],
  ['as the input of the hook', '{"tool_input":{"command":"pwd"}}'],
  ['as the whole input of the hook', given.replace('ls', 'pwd')],
  ['by its fields', '{"hookSpecificOutput":{"command":"pwd"}}'],
  ['by its fields alone', '{"command":"pwd"}'],
  ['deep inside', `${'['.repeat(5_000)}${changed}${']'.repeat(5_000)}`],
  ['and much more', `${changed.slice(0, -3)},"description":"${'x'.repeat(1000)}`, { overflowed: true }],
  ['in time, but the hook hangs', changed, { timedOut: true, exitCode: null }],
])(
  'a new input %s never lets the original one run, and is reported',
  (_, stdout, changes: Partial<CommandEnd> = {}) => {
    const answer = readCommandAnswer('PreToolUse', end({ stdout, ...changes }), given);
    expect(answer).toMatchObject({ behavior: 'deny', reason: expect.stringMatching(/input|might be a refusal/) });
    expect(answer.updatedInput).toBeUndefined();
    if (!changes.timedOut) expect(answer.failures).not.toEqual([]); // the caller reports the timeout
  },
);

test.each([
  'checked the new input',
  `log\n${given}\nlog`,
  'ls tool_input',
  '{"command":"ls","description":"x"}',
  JSON.stringify(pre({ command: 'ls' })),
])('%j does not change the input', (stdout) => {
  expect(readCommandAnswer('PreToolUse', end({ stdout }), given).behavior).toBeUndefined();
});

test.each([
  '{"decision"=>"block", "reason"=>"no"}',
  '{"hookSpecificOutput"=>{"permissionDecision"=>"deny"}}',
  '{:decision=>"block"}',
  '{decision: :block}',
  '{“decision”: “block”}',
  '{‘decision’: ‘block’}',
  '“deny”',
  '{&quot;decision&quot;:&quot;block&quot;}',
  '<decision>block</decision>',
  '"{\\"decision\\": \\"block\\"',
])('a refusal written as %s refuses, and is reported', (text) => {
  const answer = printed('PreToolUse', text);
  expect(answer.behavior).toBe('deny');
  expect(answer.failures).not.toEqual([]);
});

test.each(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'UserPromptExpansion', 'PreCompact'] as const)(
  'a truncated answer refuses at %s, since the missing part might',
  (event) => {
    for (const stdout of ['x', JSON.stringify({ decision: 'approve' })]) {
      const answer = printed(event, stdout, { overflowed: true });
      expect(answer.behavior === 'deny' || answer.block !== undefined).toBe(true);
      expect(answer.failures).toContainEqual('it printed more than 1 MB, and the rest was dropped');
    }
  },
);

test('bytes that are not text are reported', () => {
  expect(printed('PreToolUse', '\uFFFD\u0001').failures).toEqual([expect.stringContaining('not text')]);
});

test.each([
  ['letters', 'x'.repeat(1_000_000)],
  ['spaces', `a${' '.repeat(1_000_000)}`],
  ['escapes', '\\'.repeat(1_000_000)],
  ['quotes', '"'.repeat(1_000_000)],
  ['fields', 'decision: '.repeat(100_000)],
  ['names', 'updatedtool'.repeat(100_000)],
  ['beginnings', 'tool_input '.repeat(100_000)],
  ['an object of many fields', `{${Array.from({ length: 50_000 }, (_, n) => `"a${n}":{}`).join(',')}}`],
  ['lists in lists', `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
])('parses a megabyte of %s', (_, text) => {
  expect(readCommandAnswer('PreToolUse', end({ stdout: text }), given)).toHaveProperty('failures');
});

// One line of `helve permissions explain --stdin`: a question as JSON in, the answer as JSON out. An invalid line is
// answered with a deny, for that line only.

import type { ExplainRequest, Explanation } from '../../compose/explain-call.js';
import type { PermissionMode, Walls } from '../../contract/permission.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { readJson } from '../../platform/parse-json.js';
import { jsonLine } from '../../platform/text/json-line.js';
import { misspeltLineKey } from '../unknown-line-key.js';

type Explain = (request: ExplainRequest) => Promise<Explanation>;

const lineKeys = ['id', 'cwd', 'home', 'settings', 'mode', 'walls', 'tool', 'input'];
const SHAPE = '{"id"?, "cwd"?, "home"?, "settings"?, "mode"?, "walls"?, "tool", "input"}';

export async function answerLine(line: string, number: number, explain: Explain): Promise<string> {
  const refused = (id: unknown, problem: string): string =>
    asLine({
      id,
      decision: 'deny',
      reason: `Line ${number} was not judged: ${problem}${problem.endsWith('?') ? '' : '.'} A line is one JSON object ${SHAPE}.`,
    });
  const { value: request, problem } = readJson(line);
  if (problem !== undefined) return refused(null, `it is not valid JSON (${problem})`);
  if (!isObject(request)) return refused(null, 'it is not a JSON object');
  const { id = null, tool } = request;
  const misspelt = misspeltLineKey(request, lineKeys);
  if (misspelt !== undefined) return refused(id, misspelt);
  if (typeof tool !== 'string') return refused(id, '"tool" must name a tool');
  for (const field of ['cwd', 'home', 'mode', 'walls']) {
    if (isGiven(request[field]) && typeof request[field] !== 'string') return refused(id, `"${field}" must be text`);
  }
  try {
    if (isGiven(request['settings'])) {
      const { unknownKey } = await import('./unknown-key.js');
      const reason = unknownKey(request['settings']);
      if (reason !== undefined) return asLine({ id, decision: 'deny', reason });
    }
    return asLine({ id, ...asAnswer(await explain(asRequest(tool, request))) });
  } catch (error) {
    return refused(id, messageOf(error));
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export function asRequest(tool: string, fields: Readonly<Record<string, unknown>>): ExplainRequest {
  const { cwd, home, mode, walls, settings, input = {} } = fields;
  return {
    tool,
    input,
    ...(isGiven(cwd) && { cwd: String(cwd) }),
    ...(isGiven(home) && { home: String(home) }),
    ...(isGiven(mode) && { mode: mode as PermissionMode }), // the engine refuses an invalid one
    ...(isGiven(walls) && { walls: walls as Walls }), // likewise
    ...(isGiven(settings) && { settings }),
  };
}

/** An explanation for programs: the answer first, then what it depends on. */
export function asAnswer({
  decision,
  reason,
  tool,
  effects,
  risks,
  trail,
  injection,
  problems,
  ...assumed
}: Explanation) {
  const { mode, walls, confinement, sandbox } = assumed;
  const rules = trail.flatMap(({ rule, about, decided, basis }) =>
    rule
      ? [
          {
            rule: rule.text,
            list: rule.list,
            file: rule.file,
            line: rule.line ?? null,
            about,
            counts: basis !== 'untrusted',
            decided,
          },
        ]
      : [],
  );
  const held = { walls, ...(confinement && { confinement }), ...(sandbox !== undefined && { sandbox }) };
  return {
    decision,
    reason,
    tool,
    mode,
    ...held,
    ...(injection && { injection }),
    risks,
    rules,
    effects,
    trail,
    problems,
  };
}

function asLine(answer: { id: unknown; decision: string; reason: string }): string {
  try {
    return jsonLine(answer);
  } catch {
    const reason = 'The id is nested too deeply to be returned. Use a short text or a number.';
    return jsonLine({ id: null, decision: 'deny', reason });
  }
}

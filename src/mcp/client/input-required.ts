// Questions that a server asks in the middle of a request, in the era of 2026-07-28: it answers with what it needs to
// know, and the request is sent again with the answers and with the server's own `requestState`, unchanged.
import { setTimeout as delay } from 'node:timers/promises';
import { ToolFailure } from '../../contract/failure.js';
import type { AskUser } from '../../contract/question.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { elicit } from './elicit.js';
import { rootsAnswer } from './protocol-client.js';

const MAX_ROUNDS = 10;
const MAX_QUESTIONS = 20; // per round
const PAUSE_MS = 250; // before a request that the server only wants to have sent again

type Params = Readonly<Record<string, unknown>>;

export interface InputOptions {
  /** The server's name. */
  server: string;
  askUser: AskUser | undefined;
  roots(): readonly string[];
  signal: AbortSignal;
}

/** Sends a request until it is complete, and answers what the server asks in between. */
export async function withInput(
  params: Params,
  send: (params: Params) => Promise<Readonly<Record<string, unknown>>>,
  options: InputOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { signal } = options;
  const rounds = new InputRounds(options);
  let answer = await send(params);
  while (answer['resultType'] === 'input_required') {
    const { inputRequests, requestState } = answer;
    const inputResponses = await rounds.answer(inputRequests);
    if (inputResponses === undefined) await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
    answer = await send({
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  const { resultType = 'complete' } = answer;
  if (resultType === 'complete' || resultType === 'task') return answer;
  throw new ToolFailure(
    `The MCP server ${plainLine(options.server, 40)} sent a result of a kind that Helve does not know (${plainLine(String(resultType), 60)}).`,
    { advice: 'It may have done something; check before you repeat it.' },
  );
}

/** Answers the questions of one call, within limits. */
export class InputRounds {
  readonly #options: InputOptions;
  #rounds = 0;
  #wasDeclined = false;

  constructor(options: InputOptions) {
    this.#options = options;
  }

  /** The answers by the keys of the questions; undefined if there are no questions. */
  async answer(inputRequests: unknown): Promise<Readonly<Record<string, unknown>> | undefined> {
    const requests = Object.entries(isObject(inputRequests) ? inputRequests : {});
    const name = `The MCP server ${plainLine(this.#options.server, 40)}`;
    this.#rounds += 1;
    if (this.#rounds > MAX_ROUNDS) {
      throw new ToolFailure(`${name} asked for input ${this.#rounds} times, so the call was ended.`);
    }
    if (requests.length > MAX_QUESTIONS) {
      throw new ToolFailure(`${name} asked ${requests.length} questions at once, so the call was ended.`);
    }
    if (requests.length === 0) return undefined;
    if (this.#wasDeclined) {
      throw new ToolFailure(
        `${name} can't go on without input, and no person is here to give it, so the call was ended.`,
        { advice: 'Call it with more arguments, if it takes them, or go on without it.' },
      );
    }
    const responses: Array<[key: string, response: unknown]> = [];
    for (const [key, request] of requests) responses.push([key, await respond(request, this.#options)]);
    this.#wasDeclined = !this.#options.askUser;
    return Object.fromEntries(responses);
  }
}

async function respond(request: unknown, { server, askUser, roots, signal }: InputOptions): Promise<unknown> {
  const { method, params } = isObject(request) ? request : {};
  if (method === 'elicitation/create') return await elicit(server, isObject(params) ? params : {}, askUser, signal);
  if (method === 'roots/list') return rootsAnswer(roots());
  const name = plainLine(server, 40);
  throw new ToolFailure(
    typeof method === 'string' && method.startsWith('sampling/')
      ? `The MCP server ${name} wants to use Helve's model for this call, which Helve does not allow, so the call was ended.`
      : `The MCP server ${name} asked for ${plainLine(String(method), 60)}, which Helve does not answer, so the call was ended.`,
  );
}

// The one place where a session is put together with its policy, hooks, call environment and components.
import type { ChildOptions, ChildSession } from '../agent/children/family.js';
import { composeChild } from './child-session.js';
import type { FullAgentOptions, FullEngineOptions } from './options.js';
import { resolveOptions } from './resolve-options.js';
import { composeRoot, type RootSession } from './root-session.js';
import { composeTools, type ToolSession } from './tool-session.js';

/** The kinds of sessions, with their options and parts. */
interface Sessions {
  /** A conversation with a model. */
  root: { options: FullAgentOptions; composed: RootSession };
  /** The conversation of a child agent. */
  child: { options: ChildOptions; composed: ChildSession };
  /** Calls without a model. */
  tools: { options: FullEngineOptions; composed: ToolSession };
  /** Decisions about calls, without running them. */
  judge: { options: FullEngineOptions; composed: ToolSession };
}

const composers: { readonly [As in keyof Sessions]: (options: Sessions[As]['options']) => Sessions[As]['composed'] } = {
  root: (options) =>
    composeRoot(withEnvironment(options), { composeChild: (child) => composeSession(child, { as: 'child' }) }),
  child: composeChild,
  tools: (options) => composeTools(resolveOptions(options), { as: 'tools' }),
  judge: (options) => composeTools(resolveOptions(options), { as: 'judge' }),
};

export function composeSession<As extends keyof Sessions>(
  options: Sessions[As]['options'],
  { as }: { as: As },
): Sessions[As]['composed'] {
  return composers[as](options);
}

/** Each reading of a variable of `process.env` is a call into Node, and a session reads some hundred: it gets a copy. */
const withEnvironment = (options: FullAgentOptions): FullAgentOptions => ({
  ...options,
  env: options.env ?? environmentNow(),
});

/** Of the names alone, since a spread also asks Node for the attributes of each variable and takes twice as long. */
function environmentNow(): Record<string, string | undefined> {
  const { env } = process;
  const copy: Record<string, string | undefined> = {};
  for (const name of Object.getOwnPropertyNames(env)) copy[name] = env[name];
  return copy;
}

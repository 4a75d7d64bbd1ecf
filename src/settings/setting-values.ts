// Schemas of setting values. Each message completes a sentence about the value: "must be …".
import * as z from 'zod';
import { searchProviders } from '../contract/web.js';
import { parseHostPattern } from '../platform/sandbox/allowed-hosts.js';
import { parseSize } from '../platform/shell/limits.js';
import { readKey } from './key-actions.js';

export const text = z.string('must be a text').trim().min(1, 'must not be empty');
export const truth = z.boolean('must be true or false');
export const path = z
  .string('must be a path')
  .min(1, 'must not be empty')
  .regex(/^[^\0]*$/, 'must not hold a NUL');
export const variable = z.union([z.string(), z.number(), z.boolean()], 'must be a text').transform(String);
/** Bytes, from a number or a text. */
export const size = z
  .union([z.int(), z.string()], 'must be a size, as in "1G" or "512M"')
  .transform((written) => parseSize(String(written)) ?? 0)
  .refine((bytes) => bytes > 0, 'must be a size above 0, as in "1G" or "512M"');
export const domain = z
  .string('must be a host')
  .refine(
    (host) => parseHostPattern(host) !== undefined,
    'must be a host, as in "example.com", "*.example.com" or "example.com:443"',
  );
export const model = text.describe('PROVIDER/NAME or a short name');
export const models = z
  .union([text.transform((names) => names.split(',')), z.array(text)], 'must be a text or a list of texts')
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''))
  .refine((names) => names.length > 0 && names.length <= 3, 'must name one to three models');

// Rules are parsed one by one in permissions/, which also words their errors.
export const rule = z.unknown().meta({ type: 'string' });

/** A server as its file describes it; the code that starts it checks the rest. */
export const serverSchema = z
  .looseObject(
    {
      type: text.optional(),
      command: text.optional(),
      args: z.array(z.string('must be a text'), 'must be a list of texts').optional(),
      env: z.record(z.string(), variable, 'must be an object of texts').optional(),
      url: z.string('must be an address').optional(),
      headers: z.record(z.string(), z.string('must be a text'), 'must be an object of texts').optional(),
    },
    'must be an object',
  )
  .refine((server) => server.command !== undefined || server.url !== undefined, 'needs a "command" or a "url"');

const marketplaceSource = z.looseObject({ source: text }, 'must be an object with "source"');
export const marketplaceSchema = z.looseObject({ source: marketplaceSource }, 'must be an object with "source"');
export const marketplaceSources = z.array(marketplaceSource, 'must be a list of sources');

export const statusLineSchema = z.looseObject(
  { type: z.literal('command', 'must be "command"'), command: text, padding: z.number().optional() },
  'must be an object with "type" and "command"',
);

const dollars = z.number('must be a number').positive('must be above 0');
const whole = z.int('must be a whole number').positive('must be above 0');
export const budgetLimits = z
  .strictObject(
    { usd: dollars, tokens: whole, turns: whole, minutes: dollars },
    'must be an object with no other keys than "usd", "tokens", "turns" and "minutes"',
  )
  .partial();

export const webSearchSchema = z
  .strictObject(
    {
      provider: z.enum(searchProviders, `must be one of ${searchProviders.join(', ')}`),
      url: z
        .string('must be an address')
        .regex(/^https?:\/\/[^\s@\\]+$/, 'must be an address that begins with https:// or http://, without a password')
        .optional(),
      apiKeyEnv: z
        .string('must be the name of a variable')
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, not the key itself')
        .optional(),
    },
    'must be an object with "provider"',
  )
  .refine(({ provider, url }) => provider !== 'searxng' || url !== undefined, 'needs the "url" of your SearXNG')
  .refine(({ provider, apiKeyEnv }) => provider === 'searxng' || apiKeyEnv !== undefined, 'needs "apiKeyEnv"');

const key = z.string('must be a key, as in "ctrl+r"').transform((written, context) => {
  const read = readKey(written);
  if ('key' in read) return read.key;
  context.addIssue({ code: 'custom', message: `must be a key, but ${read.problem}` });
  return z.NEVER;
});
export const keys = z.union([key.transform((one) => [one]), z.array(key)], {
  error: ({ input }) => {
    const problem = [input]
      .flat()
      .map((one) => (typeof one === 'string' ? readKey(one) : { problem: 'keys are texts' }))
      .find((read) => 'problem' in read);
    return `must be a key or a list of keys${problem && 'problem' in problem ? `: ${problem.problem}` : ''}`;
  },
});

// Describes what a folder's settings do, for the trust question.
import * as z from 'zod';
import { type Places, placeWords } from '../../permissions/risks/place-words.js';
import { type CoveredItem, describeItem, type TrustReport } from '../../settings/trust.js';
import type { TrustFacts, TrustGroup } from './trust-dialog.js';

const command = z.strictObject({ type: z.literal('command'), command: z.string() });
const hook = z.strictObject({ event: z.string(), matcher: z.string().optional(), hook: command });
const program = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string(),
  args: z.array(z.string()).optional(),
});

/** One line with everything the item would do. If it can't be summarised, it is shown as written. */
export function trustWords(item: CoveredItem): string {
  const { key, name, value } = item;
  if (key === 'permissions.allow' && typeof value === 'string') return line('allows', value);
  if (key === 'env' && name !== undefined && typeof value === 'string') return line('sets', `${name}=${value}`);
  if (key === 'statusLine') {
    const { data } = command.safeParse(value);
    if (data) return line('runs for the status line', data.command);
  }
  if (key === 'hooks') {
    const { data } = hook.safeParse(value);
    if (data) return line(`runs at ${data.event}${data.matcher ? ` of ${data.matcher}` : ''}`, data.hook.command);
  }
  if (key === 'mcpServers') {
    const { data } = program.safeParse(value);
    if (data) return line(`starts the MCP server ${name ?? ''}`, [data.command, ...(data.args ?? [])].join(' '));
  }
  return describeItem(item);
}

/** What a folder's items would do, by the file that they come from, in the order of their first items. */
export function trustFacts(
  { folder, state, pending }: TrustReport,
  { home }: Pick<Places, 'home'>,
  instructions: readonly string[] = [],
): TrustFacts {
  const groups = new Map<string, Array<TrustGroup['items'][number]>>();
  for (const item of pending.filter(({ key }) => key !== 'instructions')) {
    const file = item.file ?? 'settings';
    const { line: at, change } = item;
    groups.set(file, [...(groups.get(file) ?? []), { text: trustWords(item), line: at, change }]);
  }
  return {
    folder: placeWords(folder, { project: [], home }),
    state: state === 'changed' ? 'changed' : 'untrusted',
    groups: [...groups].map(([file, items]) => ({ file, items })),
    instructions: [
      ...pending.flatMap(({ key, name }) => (key === 'instructions' && name !== undefined ? [name] : [])),
      ...instructions,
    ],
  };
}

/** With invisible characters made visible. */
const line = (what: string, value: string): string => describeItem({ key: what, value });

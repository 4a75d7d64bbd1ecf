import { listSessions, type SessionSummary } from '../../agent/store/list-sessions.js';
import { redactSecrets, secretsIn } from '../../agent/store/redact-secrets.js';
import { localMinute } from '../../platform/text/local-time.js';
import type { Choice, CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

const MAX_LISTED = 100;

export const resume: TerminalCommand = {
  name: 'resume',
  aliases: ['sessions'],
  description: 'take up an earlier conversation',
  argumentHint: '[id]',
  needsRest: true,
  complete: async (typed, session) => (await choices(session)).filter(({ value }) => value.startsWith(typed)),

  async run(args, session) {
    const wanted = args.trim();
    if (wanted !== '') return await takeUp(wanted, session);
    const items = await choices(session);
    if (items.length === 0) return problem('There is no earlier conversation in this folder.');
    return { type: 'choose', title: 'Which conversation?', items, choose: async (id) => await takeUp(id, session) };
  },
};

async function takeUp(wanted: string, session: CommandSession): Promise<CommandAnswer> {
  await session.resume(wanted);
  return text(`Taken up: ${session.id.slice(0, 8)}`);
}

async function choices({ dataFolder, root, id, env }: CommandSession): Promise<Choice[]> {
  const found = await listSessions(dataFolder, { root });
  const secrets = secretsIn(env);
  return found
    .filter((one) => one.id !== id)
    .slice(0, MAX_LISTED)
    .map((one) => ({
      value: one.id,
      label: redactSecrets(one.title, secrets) || '(no title)',
      description: factsOf(one),
    }));
}

const factsOf = ({ id, updated, turns, inUse }: SessionSummary): string =>
  [localMinute(updated), turns === 1 ? '1 turn' : `${turns} turns`, id.slice(0, 8), ...(inUse ? ['in use'] : [])].join(
    ', ',
  );

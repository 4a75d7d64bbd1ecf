import { listSessions } from '../../agent/store/list-sessions.js';
import { redactSecrets, secretsIn } from '../../agent/store/redact-secrets.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import type { SessionSummary } from '../../contract/session-summary.js';
import { shownAge } from '../../platform/text/age.js';
import { counted } from '../../platform/text/counted.js';
import type { Choice, CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

const MAX_LISTED = 100;

export const resume: TerminalCommand = {
  name: 'resume',
  aliases: ['sessions'],
  group: 'Conversation',
  echo: 'never',
  description: 'resume an earlier conversation',
  argumentHint: '[id]',
  needsRest: true,
  complete: async (typed, session) => (await sessionChoices(session)).filter(({ value }) => value.startsWith(typed)),

  async run(args, session) {
    const wanted = args.trim();
    if (wanted !== '') return await resumeSession(wanted, session);
    const items = await sessionChoices(session);
    if (items.length === 0) return problem('There is no earlier conversation in this folder.');
    return {
      type: 'choose',
      title: 'Which conversation?',
      items,
      choose: async (id) => await resumeSession(id, session),
    };
  },
};

async function resumeSession(wanted: string, session: CommandSession): Promise<CommandAnswer> {
  try {
    await session.resume(wanted);
  } catch (error) {
    if (!(error instanceof SessionProblem) || error.kind !== 'unknown') throw error;
    return problem(`${error.fact} /resume lists the conversations of this folder.`);
  }
  const title = await session.title();
  return text(title === '' ? 'Resumed.' : `Resumed "${title}".`);
}

/** The other conversations of a folder, latest first. */
export async function sessionChoices({
  dataFolder,
  root,
  id,
  env,
}: Pick<CommandSession, 'dataFolder' | 'root' | 'env'> & { id?: string }): Promise<Choice[]> {
  const found = await listSessions(dataFolder, { root });
  const secrets = secretsIn(env);
  const now = new Date();
  return found
    .filter((one) => one.id !== id)
    .slice(0, MAX_LISTED)
    .map((one) => ({
      value: one.id,
      label: redactSecrets(one.title, secrets) || '(no title)',
      description: factsOf(one, now),
    }));
}

const factsOf = ({ id, updated, turns, inUse }: SessionSummary, now: Date): string =>
  [shownAge(updated, now), counted(turns, 'turn'), id.slice(0, 8), ...(inUse ? ['in use'] : [])].join(' · ');

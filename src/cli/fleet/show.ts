// `helve fleet show`: one session, how its prompts have ended, and what the model said last.
import type { Database } from '../../fleet/postgres.js';
import type { FleetSession } from '../../fleet/prompts.js';
import { sessionReport } from '../../fleet/session-report.js';
import { PostgresStore } from '../../fleet/store/postgres-store.js';
import type { Seal } from '../../fleet/store/seal.js';
import { jsonLine } from '../../platform/text/json-line.js';
import { table } from '../../platform/text/table.js';
import { fullyVisible, visible } from '../../platform/text/visible.js';
import { writeLine } from '../write-line.js';

export async function show(
  { database, seal, session }: { database: Database; seal: Seal | undefined; session: FleetSession },
  { state, json }: { state: string; json: boolean | undefined },
): Promise<void> {
  const report = await sessionReport(database, new PostgresStore(database, { seal }), session.sessionId);
  if (json) return await writeLine(process.stdout, jsonLine({ ...session, ...report }));
  const { sessionId, project, worker, repository, root } = session;
  const from = repository && `${repository.url}${repository.ref === undefined ? '' : ` (${repository.ref})`}`;
  const facts = [
    ['session', sessionId],
    ['state', state],
    ['project', project],
    ...(from === undefined ? [] : [['repository', from]]),
    ...(root === '' ? [] : [['folder', root]]),
    ...(worker === null ? [] : [['worker', worker]]),
    ...report.prompts.map(({ acceptedAt, actor, outcome, problem, workersLost }) => [
      'prompt',
      [
        `${acceptedAt.toISOString()} by ${actor}: ${outcome ?? 'has not ended'}`,
        ...(workersLost > 0 ? [`workers lost: ${workersLost}`] : []),
        ...(problem === null ? [] : [problem]),
      ].join('. '),
    ]),
  ];
  const lines = table(
    facts.map((row) => row.map(fullyVisible)),
    { indent: '', width: process.stdout.columns },
  );
  const answer = report.answer === undefined ? [] : ['', visible(report.answer)];
  await writeLine(process.stdout, [...lines, ...answer].join('\n'));
}

// Calls with the answer that each must get, and the files that they are about.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { permissionModes } from '../../src/contract/permission.js';

const lists = z.object({
  allow: z.array(z.string()).optional(),
  ask: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  additionalDirectories: z.array(z.string()).optional(),
});

const caseSchema = z.object({
  id: z.string(),
  settings: lists,
  mode: z.enum(permissionModes),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  expect: z.enum(['allow', 'ask', 'deny', 'not-allow', 'any']),
  platform: z.string().optional(),
  cwd: z.string().optional(),
  home: z.string().optional(),
  setup: z.array(z.record(z.string(), z.string())).optional(),
  must_not_reveal: z.array(z.string()).optional(),
});

export type Case = z.output<typeof caseSchema>;

/** The cases for this platform, each with the folder that stands for its root. */
export const casesOf = (file: string, rootOf: (index: number) => string): Case[] =>
  readFileSync(join('test/fixtures', file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line, index) => caseSchema.parse(JSON.parse(line.replaceAll('{ROOT}', rootOf(index)))))
    .filter(({ platform }) => platform === undefined || platform === process.platform);

export async function setUp(entries: ReadonlyArray<Record<string, string>>): Promise<void> {
  for (const { file, dir, fifo, content = '' } of entries) {
    if (file !== undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    } else if (dir !== undefined) {
      await mkdir(dir, { recursive: true });
    } else if (fifo !== undefined) {
      await mkdir(dirname(fifo), { recursive: true });
      execFileSync('mkfifo', [fifo]);
    }
  }
  for (const { symlink: link, target } of entries) {
    if (link === undefined || target === undefined) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
}

/** What is allowed and must not be is a hole; what is refused or asked about and need not be is a nuisance. */
export interface Wrong {
  falseAllows: string[];
  falsePrompts: string[];
  others: string[];
}

export function wrongAnswers(cases: readonly Case[], answers: ReadonlyArray<Record<string, unknown>>): Wrong {
  const wrong: Wrong = { falseAllows: [], falsePrompts: [], others: [] };
  for (const [index, one] of cases.entries()) {
    const { decision, reason } = answers[index] ?? {};
    const isRight = one.expect === 'not-allow' ? decision !== 'allow' : decision === one.expect;
    if (isRight || one.expect === 'any') continue;
    const kind = decision === 'allow' ? 'falseAllows' : one.expect === 'allow' ? 'falsePrompts' : 'others';
    wrong[kind].push(`${one.id}: ${decision} for ${JSON.stringify(one.input)} because ${reason}`.slice(0, 400));
  }
  return wrong;
}

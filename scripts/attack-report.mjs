// Runs the corpus of attacks (test/fixtures/attacks.jsonl) against the built command line and prints, per class, how many
// had an effect.
//
//   node scripts/attack-report.mjs [options]
//   --file FILE       another corpus
//   --only TEXT       ids that contain this text
//   --modes LIST      default,plan,acceptEdits, which is all; `real` runs each with permission bypassed, and names those
//                     that then have no effect and so prove nothing
//   --user ordinary   as a user without privileges (needs root)
//   --walls none      as on a machine that cannot confine commands
//   --rules           with rules that deny edits and reads beside the attack's own
//   --jobs N          how many at a time (default 3)
//   --list            every attempt that had an effect
//   --save FILE       ids with an effect, one a line
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { importSource } from '../bench/bundle-source.mjs';

const { values: options } = parseArgs({
  options: {
    file: { type: 'string', default: 'test/fixtures/attacks.jsonl' },
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: 'default,plan,acceptEdits' },
    user: { type: 'string', default: 'current' },
    walls: { type: 'string' },
    rules: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '3' },
    list: { type: 'boolean', default: false },
    save: { type: 'string' },
  },
});

const { readAttacks } = await importSource('test/walls/attack.ts');
const { AttackPlaces } = await importSource('test/walls/attack-place.ts');
const { attempt, denyRules } = await importSource('test/walls/attempt.ts');

const places = new AttackPlaces();
const attacks = readAttacks(options.file).filter(({ id }) => id.includes(options.only));
const modes = options.modes.split(',');
const tasks = attacks.flatMap((attack) =>
  (modes[0] === 'real' ? ['real'] : modes.filter((mode) => attack.modes.includes(mode))).map((mode) => ({
    attack,
    mode,
  })),
);
const found = new Map(); // class → { runs, effects, ids }
const shared = {
  user: options.user,
  walls: options.walls,
  ...(options.rules && { deny: denyRules }),
};
try {
  let next = 0;
  await Promise.all(
    Array.from({ length: Number(options.jobs) }, async () => {
      for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) await one(task);
    }),
  );
} finally {
  places.end();
}

const rows = [...found].sort(([a], [b]) => a.localeCompare(b));
for (const [name, { runs, effects, ids }] of rows) {
  console.log(
    `${name.padEnd(22)} ${String(ids.size).padStart(4)} attacks ${String(runs).padStart(5)} runs ${String(effects.length).padStart(5)} with effect (${new Set(effects).size} attacks)`,
  );
}
const all = rows.flatMap(([, { effects }]) => effects);
console.log(
  `all: ${attacks.length} attacks, ${tasks.length} runs, ${all.length} with effect (${new Set(all).size} attacks)`,
);
if (options.save) writeFileSync(options.save, `${[...new Set(all)].join('\n')}\n`);

async function one({ attack, mode }) {
  const entry = found.get(attack.class) ?? { runs: 0, effects: [], ids: new Set() };
  found.set(attack.class, entry);
  entry.runs += 1;
  entry.ids.add(attack.id);
  const result = mode === 'real' ? await real(attack) : await attempt(attack, places, { ...shared, mode });
  const hasEffect = mode === 'real' ? result.shown : result.effects.length > 0;
  if (hasEffect) entry.effects.push(attack.id);
  if (options.list && hasEffect !== (mode === 'real')) {
    const { effects, output } = result;
    console.log(`${attack.id} [${mode}] ${JSON.stringify(attack.command)}\n    ${effects.join(', ').slice(0, 200)}`);
    if (mode === 'real') console.log(`    ${output.slice(0, 400).replaceAll('\n', '\n    ')}`);
  }
}

async function real(attack) {
  const bypassed = await attempt(attack, places, { ...shared, mode: 'bypass', withoutRules: true });
  return bypassed.shown ? bypassed : await attempt(attack, places, { ...shared, mode: 'plain' });
}

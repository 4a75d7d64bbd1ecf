import { createEngine } from '../../src/compose/create-engine.js';
import type { Behavior, PermissionMode } from '../../src/contract/permission.js';
import type { RuleLists } from '../../src/permissions/rule.js';
import type { TestProject } from '../../src/testing/temporary-project.js';

/**
 * What the engine decides, and what the call says; one that is allowed runs only if it reads. In rules and inputs, `{ROOT}`
 * stands for the project and `{UP}` for the folder that it is in, where `home` is the home folder.
 */
export async function judge(
  place: TestProject,
  tool: string,
  input: Record<string, unknown>,
  lists: RuleLists = {},
  mode: PermissionMode = 'default',
): Promise<{ answer: Behavior; text: string }> {
  const filled = (text: string): string => text.replaceAll('{ROOT}', place.root).replaceAll('{UP}', place.path('..'));
  const inPlace = (rules: readonly unknown[] = []): string[] => rules.map((rule) => filled(String(rule)));
  const engine = createEngine({
    root: place.root,
    home: place.path('../home'),
    dataFolder: place.path('../data'),
    permissions: { allow: inPlace(lists.allow), ask: inPlace(lists.ask), deny: inPlace(lists.deny) },
    permissionMode: mode,
    audit: false,
  });
  const given = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? filled(value) : value]),
  );
  try {
    const { findTool, decide } = engine.environment(() => {});
    const found = findTool(tool);
    await found?.load();
    const accepted = found?.accept(given);
    if (!accepted?.ok) throw new Error(`${tool} does not take ${JSON.stringify(given)}`);
    const effects = await accepted.call.effects(engine.contextFor('x', new AbortController().signal));
    const { behavior } = decide({ tool, input: given, effects });
    const onlyReads = effects.every((effect) => effect.kind !== 'file' || effect.access === 'read');
    if (behavior === 'allow' && !(onlyReads && tool !== 'Bash')) return { answer: behavior, text: '' };
    const [result] = await engine.callTools([{ id: 'x', name: tool, input: given }]);
    return { answer: behavior, text: JSON.stringify(result?.content) };
  } finally {
    await engine.end();
  }
}

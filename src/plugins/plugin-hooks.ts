// The hooks of a plugin.
import { join } from 'node:path';
import { nameOf } from '../hooks/describe-hook.js';
import { type CommandDefinition, type ConfiguredHook, readHooks } from '../hooks/schema.js';
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';
import type { PluginFacts } from './loaded-plugin.js';
import { exists } from './manifest.js';
import { listed } from './plugin-files.js';
import { pathInPlugin } from './plugin-paths.js';
import { objectIn } from './plugin-servers.js';
import { fillVariables } from './plugin-variables.js';
import { inOwnFiles, pathsInCommand } from './relative-words.js';

/** Events of Gemini's hooks that mean the same here. For the others, a hook would get other names of tools and fields. */
const sharedWithGemini: ReadonlySet<string> = new Set(['SessionStart', 'SessionEnd', 'Notification']);

export function hooksOf(facts: PluginFacts): ConfiguredHook[] {
  const { manifest, root } = facts;
  const inline = isObject(manifest.fields['hooks']) ? [{ part: 'hooks', value: manifest.fields['hooks'] }] : [];
  const paths = new Set<string>(
    !manifest.isListed && exists(join(root, 'hooks/hooks.json')) ? ['hooks/hooks.json'] : [],
  );
  for (const written of listed(manifest.fields['hooks'])) {
    if (isObject(written)) inline.push({ part: 'hooks', value: written });
    else {
      const place = pathInPlugin(root, written);
      if ('problem' in place) facts.unused('hooks', place.problem);
      else paths.add(place.below);
    }
  }
  const fromFiles = [...paths].flatMap((part) => {
    const value = objectIn(facts, part);
    return value ? [{ part, value }] : [];
  });
  return [...fromFiles, ...inline].flatMap(({ part, value }) => readPart(facts, part, value));
}

function readPart(facts: PluginFacts, part: string, value: Readonly<Record<string, unknown>>): ConfiguredHook[] {
  const { manifest, variables, unused } = facts;
  const events = isObject(value['hooks']) ? value['hooks'] : value;
  const usable = Object.fromEntries(
    Object.entries(events).filter(([event]) => {
      const isUsable = manifest.format !== 'gemini' || sharedWithGemini.has(event);
      if (!isUsable) {
        unused(
          `${part}: ${event}`,
          "Gemini's hooks for this event get other names of tools and fields than Helve sends",
        );
      }
      return isUsable && event !== 'description';
    }),
  );
  const { configured, problems } = readHooks(usable, { source: `the plugin ${facts.id}`, trusted: true });
  for (const { path, message } of problems) unused(`${part}: ${path}`, message.replace(/\.$/, ''));
  return configured.map((one) => ({
    ...one,
    hook: withVariables(facts, one),
    env: variables.env,
    label: shownLine(nameOf(one.hook)),
    secrets: variables.secrets,
  }));
}

/** Bash expands variables of the environment itself; a program without a shell gets them filled in. */
function withVariables(facts: PluginFacts, { event, hook }: ConfiguredHook): ConfiguredHook['hook'] {
  const by = `hook of ${event}`;
  if (hook.type === 'command' && hook.args === undefined) {
    for (const path of pathsInCommand(hook.command)) facts.looksInProject(by, path);
    return { ...hook, command: forBash(hook.command) };
  }
  const placed = hook.type === 'command' ? inPlugin(facts, by, hook) : hook;
  return fillVariables(placed, facts.variables.entries) as ConfiguredHook['hook']; // the same object with other texts
}

function inPlugin(facts: PluginFacts, by: string, hook: CommandDefinition): CommandDefinition {
  const isPath = hook.command.includes('/');
  const [command = hook.command] = isPath ? inOwnFiles(facts, by, [hook.command]) : [hook.command];
  return { ...hook, command, args: inOwnFiles(facts, by, hook.args ?? []) };
}

/** `${user_config.key}` is no name for bash: its variable stands for it, so that no value becomes part of the command. */
const forBash = (command: string): string =>
  command
    .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, key: string) => variable(`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`))
    .replaceAll(variable('extensionPath'), variable('CLAUDE_PLUGIN_ROOT'))
    .replaceAll(variable('workspacePath'), variable('CLAUDE_PROJECT_DIR'))
    .replaceAll(variable('/'), '/');

const variable = (name: string): string => `\${${name}}`;

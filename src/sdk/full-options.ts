import { askInEachForm } from '../calls/ask-in-each-form.js';
import type { EngineOptions as FullOptions } from '../compose/create-engine.js';
import { answeringBy, askingBy } from './can-use-tool-adapter.js';
import { checkParts } from './check-options.js';
import type { EngineOptions } from './options.js';
import { contentOf } from './settings-content.js';

/** What the engine itself takes. */
export function fullOptions(options: EngineOptions): FullOptions {
  checkParts(options);
  const { canUseTool, settings, toolSet, permissionMode, env, root, hooks, ...same } = options;
  if (canUseTool && options.askPermission) {
    throw new TypeError('canUseTool and askPermission would answer the same questions. Leave one of them out.');
  }
  const read = settings && contentOf(settings);
  const place = root ?? read?.root;
  const mode = permissionMode ?? read?.permissionMode;
  if (mode === 'bypassPermissions' && read?.bypassDisabledBy !== undefined) {
    throw new TypeError(
      `The mode bypassPermissions is switched off by ${read.bypassDisabledBy}. Choose another permissionMode.`,
    );
  }
  return {
    ...same,
    ...(place !== undefined && { root: place }),
    ...(mode && { permissionMode: mode }),
    ...(read && { settings: read.watched }),
    ...((env ?? read?.env) && { env: env ?? read?.env }),
    // Each is called with the input of the event that it stands under.
    ...(hooks && { hooks: hooks as NonNullable<FullOptions['hooks']> }),
    ...(options.askPermission && { askPermission: askInEachForm(options.askPermission) }),
    ...(canUseTool && {
      askPermission: askInEachForm(askingBy(canUseTool)),
      askUser: options.askUser ?? answeringBy(canUseTool),
    }),
    ...(toolSet === 'simple' && { toolSet }),
  };
}

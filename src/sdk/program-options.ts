// From the options of a program to those inside Helve.
import { askInEachForm } from '../calls/ask-in-each-form.js';
import type { FullAgentOptions, FullEngineOptions } from '../compose/options.js';
import type { AgentOptions, EngineOptions } from '../contract/options.js';
import { checkParts } from './check-options.js';
import { contentOf } from './settings-content.js';

export const engineOptions = (options: EngineOptions): FullEngineOptions => withContent(options);

export const agentOptions = (options: AgentOptions): FullAgentOptions => withContent(options);

function withContent<Options extends EngineOptions>(options: Options): Omit<Options, 'settings'> & FullEngineOptions {
  checkParts(options);
  const { settings, ...same } = options;
  const { askPermission, canUseTool } = options;
  if (canUseTool && askPermission) {
    throw new TypeError('canUseTool and askPermission would answer the same questions. Leave one of them out.');
  }
  const read = settings && contentOf(settings);
  const root = options.root ?? read?.root;
  const permissionMode = options.permissionMode ?? read?.permissionMode;
  const env = options.env ?? read?.env;
  if (permissionMode === 'bypassPermissions' && read?.bypassDisabledBy !== undefined) {
    throw new TypeError(
      `The mode bypassPermissions is switched off by ${read.bypassDisabledBy}. Choose another permissionMode.`,
    );
  }
  return {
    ...same,
    ...(root !== undefined && { root }),
    ...(permissionMode && { permissionMode }),
    ...(read && { settings: read.watched }),
    ...(env && { env }),
    ...(askPermission && { askPermission: askInEachForm(askPermission) }),
  };
}

import type { Setting } from './setting.js';
import { always } from './setting-sources.js';
import { marketplaceSchema, marketplaceSources, truth } from './setting-values.js';

export const pluginSettings = {
  enabledPlugins: {
    about: 'Switches plugins that you have added on or off, by `NAME@MARKETPLACE`.',
    shape: 'map',
    schema: truth,
    loosens: always, // `false` may switch off a plugin whose hooks or deny rules guard the project
    broken: { as: false },
  },
  extraKnownMarketplaces: {
    about: 'Marketplaces that `helve plugin add NAME@MARKETPLACE` knows, by name, each with its `source`.',
    shape: 'map',
    schema: marketplaceSchema,
    loosens: always,
  },
  strictKnownMarketplaces: {
    about: 'Only plugins of these marketplaces are used; each entry is a `source`. An empty list permits no plugin.',
    shape: 'one',
    schema: marketplaceSources,
    broken: 'refuse',
    from: ['managed'],
  },
  blockedMarketplaces: {
    about: 'Plugins of these marketplaces are not used; each entry is a `source`.',
    shape: 'one',
    schema: marketplaceSources,
    broken: 'refuse',
    from: ['managed'],
  },
} as const satisfies Readonly<Record<string, Setting>>;

import type { AddedTextsOptions } from '../instructions/added-texts.js';
import type { SessionComponent } from '../session-component.js';

/** Adds the output style and the texts of plugins to the system prompt, before the first request and then unchanged. */
export function addedTextsComponent(options: AddedTextsOptions): SessionComponent {
  let added: Promise<void> | undefined;
  return {
    name: 'added texts',
    async prepare() {
      added ??= import('../instructions/added-texts.js').then(({ addTexts }) => addTexts(options));
      await added;
    },
  };
}

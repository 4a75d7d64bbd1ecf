// The modes and models that a new session could have, for a client that is about to begin one.
import type { OptionsOfFolder } from '../../acp/session-methods.js';
import { allModes } from '../../acp/session-options.js';
import { readCatalogue } from '../read-catalogue.js';
import { modelChoices } from '../run-models.js';

export const optionsOfFolder: OptionsOfFolder = async (_, caller) => {
  const env = { ...(caller?.env ?? process.env) };
  const choices = modelChoices(await readCatalogue(env), env, { provider: '', name: '' });
  return {
    modes: allModes(),
    models: choices
      .filter(({ value }) => value !== 'default')
      .map(({ value, displayName: name, description }) => ({ id: value, name, description })),
    commands: [], // those of the folder are known once it is trusted, with its first session
  };
};

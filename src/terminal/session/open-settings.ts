import { dataFolderOf } from '../../platform/files/paths.js';
import type { TrustReport } from '../../settings/trust.js';
import type { TerminalOptions, TerminalSettings } from '../start-terminal.js';
import { askAboutInstructions, namesOf } from './ask-instructions.js';
import type { TerminalPorts } from './opened-session.js';

/** The questions about what a folder brings. */
export interface FolderQuestions {
  /** `instructions`: files that trust would make the model follow. */
  askForTrust(trust: TrustReport, instructions: readonly string[]): Promise<boolean>;
  choose: Parameters<typeof askAboutInstructions>[1];
  /** A question is about to be asked. */
  onAsk?(): void;
}

/**
 * Reads settings. If the folder brings settings that require trust, or instructions for the model, the user is asked
 * before any of them apply.
 */
export async function openSettings(
  { open, env }: Pick<TerminalOptions, 'open' | 'env'>,
  ports: TerminalPorts,
  questions: FolderQuestions,
): Promise<TerminalSettings> {
  const settings = await open(ports);
  const { trust } = settings.settings.current;
  const { notFollowed = [] } = settings;
  const dataFolder = dataFolderOf({ env });
  if (trust.pending.length > 0 || notFollowed.length > 0) questions.onAsk?.();
  if (trust.pending.length > 0) {
    const names = notFollowed.map(({ shown }) => shown);
    if (await questions.askForTrust(trust, names)) {
      const { trustFolder } = await import('../../settings/trust.js');
      await trustFolder(trust.folder, trust.covered, { dataFolder });
      return await open(ports);
    }
    ports.tell('The settings of this folder that need trust are ignored. To review and trust them later: /trust');
  }
  // Also after a no: the person may know the instructions and not want the rest.
  if (notFollowed.length > 0 && (await askAboutInstructions(notFollowed, questions.choose))) {
    const { followInstructions } = await import('../../settings/trust.js');
    await followInstructions(trust.folder, { dataFolder });
    return await open(ports);
  }
  if (notFollowed.length > 0) {
    ports.tell(`The model gets ${namesOf(notFollowed)} as notes only. To follow the instructions: /trust`);
  }
  return settings;
}

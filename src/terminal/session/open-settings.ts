import { realpathSync } from 'node:fs';
import type { InstructionRules } from '../../agent/instructions/read-instructions.js';
import { dataFolderOf, homeFolder } from '../../platform/files/paths.js';
import type { TrustReport } from '../../settings/trust.js';
import type { TerminalOptions, TerminalSettings } from '../start-terminal.js';
import { askAboutInstructions, type InstructionQuestions, namesOf } from './ask-instructions.js';
import type { TerminalPorts } from './opened-session.js';

/** The questions about what a folder brings. */
export interface FolderQuestions extends InstructionQuestions {
  /** `instructions`: files that trust would make the model follow. */
  askForTrust(trust: TrustReport, instructions: readonly string[]): Promise<boolean>;
  /** A question is about to be asked. The settings do not have what needs trust. */
  onAsk?(settings: TerminalSettings): void;
}

/**
 * Reads settings. If the folder brings settings that require trust, or instructions for the model, the user is asked
 * before any of them apply.
 */
export async function openSettings(
  { open, env, root }: Pick<TerminalOptions, 'open' | 'env' | 'root'>,
  ports: TerminalPorts,
  questions: FolderQuestions,
): Promise<TerminalSettings> {
  const settings = await open(ports);
  const { trust } = settings.settings.current;
  const { notFollowed = [] } = settings;
  const dataFolder = dataFolderOf({ env });
  if (trust.pending.length > 0 || notFollowed.length > 0) questions.onAsk?.(settings);
  const wasRefused = trust.pending.length > 0;
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
  if (
    notFollowed.length > 0 &&
    (await askAboutInstructions(notFollowed, await rulesFor(root, dataFolder), questions, { afterNo: wasRefused }))
  ) {
    const { followInstructions } = await import('../../settings/trust.js');
    await followInstructions(trust.folder, { dataFolder });
    return await open(ports);
  }
  if (notFollowed.length > 0) {
    ports.tell(`The model gets ${namesOf(notFollowed)} as notes only. To follow the instructions: /trust`);
  }
  return settings;
}

/** What the instructions of a folder without trust may import. */
async function rulesFor(folder: string, dataFolder: string): Promise<InstructionRules> {
  const { projectBoundary } = await import('../../agent/instructions/instruction-files.js');
  const [root, home] = [realpathSync(folder), homeFolder()];
  return { root, home, dataFolder, boundary: projectBoundary({ root, home }), trusted: false, mayRead: () => true };
}

import { dataFolderOf } from '../../platform/files/paths.js';
import type { TrustReport } from '../../settings/trust.js';
import type { TerminalOptions, TerminalSettings } from '../start-terminal.js';
import type { TerminalPorts } from './opened-session.js';

/** Reads settings. If the folder brings settings that require trust, the user is asked before any of them apply. */
export async function openSettings(
  { open, env }: Pick<TerminalOptions, 'open' | 'env'>,
  ports: TerminalPorts,
  askForTrust: (trust: TrustReport) => Promise<boolean>,
): Promise<TerminalSettings> {
  const settings = await open(ports);
  const { trust } = settings.settings.current;
  if (trust.pending.length === 0) return settings;
  if (!(await askForTrust(trust))) {
    ports.tell(
      'The settings of this folder that need trust are ignored. To review and trust them later: helve config trust',
    );
    return settings;
  }
  const { trustFolder } = await import('../../settings/trust.js');
  await trustFolder(trust.folder, trust.covered, { dataFolder: dataFolderOf({ env }) });
  return await open(ports);
}

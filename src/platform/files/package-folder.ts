import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A folder of this package, such as `docs`; undefined if it was not shipped with it. Searches upwards from this file for
 * the manifest of the package, since builds move this code.
 */
export function packageFolder(name: string): string | undefined {
  const here = import.meta.url;
  let folder = dirname(here.startsWith('file:') ? fileURLToPath(here) : here);
  for (;;) {
    const wanted = join(folder, name);
    if (isPackage(folder) && existsSync(wanted)) return wanted;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function isPackage(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'helve';
  } catch {
    return false;
  }
}

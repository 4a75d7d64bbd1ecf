import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { counterpart } from './counterparts.js';

export const vendorSdk = (name: string) => counterpart('vendor-sdks', name);

/** What the compiler reports of a program that imports these clients of vendors. */
export async function typeErrors(program: string, packages: readonly string[]): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'helve-vendor-types-'));
  try {
    for (const name of packages) {
      await mkdir(dirname(join(place, 'node_modules', name)), { recursive: true });
      await symlink(vendorSdk(name).path, join(place, 'node_modules', name));
    }
    await writeFile(join(place, 'program.ts'), program);
    await writeFile(join(place, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      types: [],
      lib: ['esnext', 'dom'],
    };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const compiler = resolve('node_modules/typescript/bin/tsc');
    return await promisify(execFile)(process.execPath, [compiler, '-p', place], { maxBuffer: 2 ** 26 }).then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

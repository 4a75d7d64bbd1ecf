// The bundle contains code of other packages without their licence files, so this collects the licences in one text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of every package that the builds contain code of. */
export function thirdPartyNotices(metafiles) {
  const taken = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs)),
  );
  const folders = new Set(taken.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => folderOf(path)));
  const notices = [...folders].filter((folder) => folder !== undefined).map(noticeOf);
  return `Helve's files hold code of these projects, each under its own licence.\n\n${[...new Set(notices)].sort().join('\n')}`;
}

/** The innermost package of a path, since packages can be nested. */
const folderOf = (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no text of its licence.';
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
}

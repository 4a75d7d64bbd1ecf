import { readFile } from 'node:fs/promises';
import { messageOf } from '../../platform/message-of.js';
import type { Choice } from '../contract.js';

const MAX_SHOWN_LINES = 60; // of each file, so that the question stays readable

/** A file of the project with instructions for the model. */
export interface ShownInstructions {
  path: string;
  /** Relative to the project. */
  shown: string;
}

type Choose = (facts: { title: string; text: string; items: readonly Choice[] }) => Promise<string | undefined>;

/** Asks whether to follow the instruction files of a folder. They can be read first. */
export async function askAboutInstructions(files: readonly ShownInstructions[], choose: Choose): Promise<boolean> {
  const them = files.length === 1 ? 'it' : 'them';
  const items = [
    { value: 'yes', label: `Yes, follow ${them}`, description: 'asked once for this folder' },
    { value: 'show', label: `Show ${them} first` },
    { value: 'no', label: 'Not now', description: `the model gets ${them} as notes` },
  ];
  const title = 'Follow the instructions of this folder?';
  const text = `It has instructions for the model: ${namesOf(files)}`;
  const answer = await choose({ title, text, items });
  if (answer !== 'show') return answer === 'yes';
  const contents = await Promise.all(files.map(contentOf));
  const rest = items.filter(({ value }) => value !== 'show');
  return (await choose({ title, text: contents.join('\n\n'), items: rest })) === 'yes';
}

export const namesOf = (files: readonly ShownInstructions[]): string => files.map(({ shown }) => shown).join(', ');

async function contentOf({ path, shown }: ShownInstructions): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => `It can't be read: ${messageOf(error)}`);
  const lines = text.trimEnd().split('\n');
  const more = lines.length - MAX_SHOWN_LINES;
  return [
    `${shown}:`,
    ...lines.slice(0, MAX_SHOWN_LINES),
    ...(more > 0 ? [`… ${more} more lines in ${path}`] : []),
  ].join('\n');
}

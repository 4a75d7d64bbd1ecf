// What a client may choose in a session: its mode, model and effort. Both as modes and as config options, since older
// clients know only modes.

import { type Effort, efforts } from '../contract/model.js';
import { modeWords, type PermissionMode, permissionModes } from '../contract/permission.js';
import type { HostedSession } from '../host/hosted-session.js';
import { messageOf } from '../platform/message-of.js';
import type { AcpConfigOption, AcpModes } from './messages.js';
import { invalidParams, shown } from './read-params.js';

const DEFAULT_EFFORT = 'default';

const modeDescriptions: Readonly<Record<PermissionMode, string>> = {
  default: 'Asks before anything is changed.',
  acceptEdits: 'Changes files of the project without a question; asks before commands.',
  plan: 'Reads and plans, and changes nothing.',
  dontAsk: 'Denies what it would otherwise ask about.',
  bypassPermissions: 'Asks nothing. Only rules that deny still apply.',
};

const name = (mode: PermissionMode): string =>
  `${modeWords[mode].slice(0, 1).toUpperCase()}${modeWords[mode].slice(1)}`;

const availableModes = (session: HostedSession) =>
  permissionModes
    .filter((mode) => mode === session.agent.mode || session.refuseMode(mode) === undefined)
    .map(described);

const described = (mode: PermissionMode) => ({ id: mode, name: name(mode), description: modeDescriptions[mode] });

/** Whether a mode is available is known once there is a session. */
export const allModes = (): AcpModes['availableModes'] => permissionModes.map(described);

export const modesOf = (session: HostedSession): AcpModes => ({
  currentModeId: session.agent.mode,
  availableModes: availableModes(session),
});

export function configOptionsOf(session: HostedSession): AcpConfigOption[] {
  const { model, effort } = session.conversation;
  const choices = model.choices();
  const isListed = choices.some(({ value }) => value === model.current);
  const accepted = acceptedBy(effort);
  return [
    {
      id: 'mode',
      name: 'Mode',
      description: 'What is decided where no rule matches',
      category: 'mode',
      type: 'select',
      currentValue: session.agent.mode,
      options: availableModes(session).map(({ id: value, ...others }) => ({ value, ...others })),
    },
    {
      id: 'model',
      name: 'Model',
      description: 'The model that answers from the next prompt on',
      category: 'model',
      type: 'select',
      currentValue: model.current,
      options: [...(isListed ? [] : [{ value: model.current, name: model.current }]), ...choices],
    },
    ...(accepted.length === 0 ? [] : [effortOption(effort.current, accepted)]),
  ];
}

/** All of them if it is not known which the model accepts; it then gets the nearest one. */
const acceptedBy = ({ accepted = efforts }: HostedSession['conversation']['effort']): readonly Effort[] => accepted;

const effortOption = (current: Effort | undefined, accepted: readonly Effort[]): AcpConfigOption => ({
  id: 'effort',
  name: 'Effort',
  description: 'How much the model thinks',
  category: 'thought_level',
  type: 'select',
  currentValue: current ?? DEFAULT_EFFORT,
  options: [
    { value: DEFAULT_EFFORT, name: 'Default of the model' },
    ...accepted.map((value) => ({ value, name: value })),
  ],
});

/** Throws if there is no such mode, or if it is not available here. */
export function checkMode(session: HostedSession, wanted: unknown): PermissionMode {
  const mode = permissionModes.find((known) => known === wanted);
  const available = availableModes(session).map(({ id }) => id);
  if (!mode) throw invalidParams(`There is no mode ${shown(wanted)}. There are: ${available.join(', ')}.`);
  const refused = session.refuseMode(mode);
  if (refused !== undefined) throw invalidParams(refused);
  return mode;
}

/** Throws as `checkMode` does. */
export function setMode(session: HostedSession, wanted: unknown): void {
  session.setMode(checkMode(session, wanted));
}

export async function setOption(session: HostedSession, id: string, value: unknown): Promise<void> {
  const { model, effort } = session.conversation;
  switch (id) {
    case 'mode':
      setMode(session, value);
      return;
    case 'model':
      if (typeof value !== 'string') throw invalidParams(`"value" must be a model, but was ${shown(value)}.`);
      await model.choose(value).catch(asInvalid);
      return;
    case 'effort': {
      const accepted = acceptedBy(effort);
      const wanted = accepted.find((known) => known === value);
      if (!wanted && value !== DEFAULT_EFFORT) {
        const there = [DEFAULT_EFFORT, ...accepted].join(', ');
        throw invalidParams(`${model.current} has no effort ${shown(value)}. There are: ${there}.`);
      }
      await effort.set(wanted).catch(asInvalid);
      return;
    }
    default: {
      const ids = configOptionsOf(session).map((option) => option.id);
      throw invalidParams(`There is no config option ${shown(id)}. There are: ${ids.join(', ')}.`);
    }
  }
}

function asInvalid(error: unknown): never {
  throw invalidParams(messageOf(error));
}

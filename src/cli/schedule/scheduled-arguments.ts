import type { Schedule } from '../../agent/schedule/schedules.js';

/** The arguments of Helve for a scheduled prompt. They are run in its folder. */
export const scheduledArguments = ({ prompt, options }: Schedule): string[] => ['-p', ...options, '--', prompt];

/** "14:02:11", on the clock of this machine. */
export const timeOfDay = (time: Date): string => time.toTimeString().slice(0, 8);

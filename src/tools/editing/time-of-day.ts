/** "14:02:11", in local time. */
export const timeOfDay = (time: Date): string => time.toTimeString().slice(0, 8);

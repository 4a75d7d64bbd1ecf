// Helve addresses the model through reminders, beside the texts of people and tools. Some contain untrusted text,
// such as a hook's output or a file name: it must not be able to close the reminder around it, or to look like one.

export const reminder = (text: string): string => `<system-reminder>\n${withoutReminders(text)}\n</system-reminder>`;

/** The same on one line, inside a sentence of ours. */
export const shortReminder = (sentence: string): string =>
  `<system-reminder>${withoutReminders(sentence)}</system-reminder>`;

export const withoutReminders = (text: string): string =>
  text.replaceAll(/<(?=\s*(?:\/\s*)?system-reminder)/gi, '&lt;');

// Helve speaks to the model by reminders, beside the words of people and tools. Words of others stand in some, such as
// those of a hook or the name of a file: none may end the reminder that it stands in, nor pass for one.

export const reminder = (text: string): string => `<system-reminder>\n${withoutReminders(text)}\n</system-reminder>`;

/** The same on one line, for a sentence of ours. */
export const shortReminder = (sentence: string): string =>
  `<system-reminder>${withoutReminders(sentence)}</system-reminder>`;

export const withoutReminders = (text: string): string => text.replaceAll(/<(?=\s*\/?\s*system-reminder)/gi, '&lt;');

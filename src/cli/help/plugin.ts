export const help = `helve plugin: use plugins of Claude Code, Codex and Gemini

  helve plugin add SOURCE   add a plugin or a marketplace: a folder, a git address, or NAME@MARKETPLACE
  helve plugin list         every plugin and marketplace, and whether it is used; folders approved for --plugin-dir
  helve plugin details NAME       the parts of a plugin, and those that have no effect, with the reason
  helve plugin update [NAME]      fetch a plugin, or all of them, again; shows what has changed, and asks
  helve plugin enable NAME        switch a plugin on; if it is new or changed, shows it and asks for approval
  helve plugin disable NAME       switch it off
  helve plugin remove NAME        remove a plugin with its data, a marketplace, or the approval of a folder
  helve plugin validate DIR       check the folder of a plugin or a marketplace, without adding it

Nothing of a plugin is used before you have approved it. The approval is for its present files: if one changes, Helve
shows the change and asks again. Without a terminal the plugin is held back, and a notice says so.

Options
  --yes                     of add, update and enable: approve without a question
  --set KEY=VALUE           of add and enable: a value that the plugin asks for; may be given several times
  --full                    of add, update and enable: show a change of the files whole, however long it is
  --ref REF                 of add: the branch or tag of a git address
  --json                    as JSON
  --settings FILE           settings with precedence over project and user, as a file or as JSON

Exit status: 0 success, 1 something can't be used or was not approved, 2 wrong usage`;

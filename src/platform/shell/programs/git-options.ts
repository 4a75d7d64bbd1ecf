// Options that several of git's subcommands share, without those that run other programs.

export const diffOptions = `-# -abBCDMRWpsuwzr -B? -C? -M? -U? -S= -G= -X? -l= --patch --no-patch --raw --patch-with-raw --patch-with-stat --unified?
  --output-indicator-new= --output-indicator-old= --output-indicator-context= --minimal --patience --histogram --anchored= --diff-algorithm=
  --stat? --stat-width= --stat-name-width= --stat-count= --compact-summary --numstat --shortstat --dirstat? --cumulative --summary --name-only
  --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --word-diff? --word-diff-regex=
  --color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev
  --break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all
  --pickaxe-regex --skip-to= --rotate-to= --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change
  --ignore-all-space --ignore-blank-lines --ignore-matching-lines= -I= --inter-hunk-context= --function-context --exit-code --quiet
  --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --output=write`;

export const revisionOptions = `-n= --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author= --committer= --grep= --grep-reflog=
  --all-match --invert-grep --regexp-ignore-case -i -E -F -P --basic-regexp --extended-regexp --fixed-strings --perl-regexp --merges --no-merges
  --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags?
  --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --boundary --left-only
  --right-only --cherry-mark --cherry-pick --cherry --left-right --walk-reflogs -g --merge --simplify-by-decoration --show-pulls --full-history
  --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --date=
  --relative-date --parents --children --count --timestamp --objects --disk-usage? --in-commit-order`;

export const formatOptions = `--pretty? --format= --oneline --abbrev-commit --no-abbrev-commit --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes
  --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source
  --use-mailmap --mailmap --no-mailmap --log-size --follow --full-diff --remerge-diff --diff-merges= --no-diff-merges --cc -c -m -t --dd
  --combined-all-paths -L= -q `;

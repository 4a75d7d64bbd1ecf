// The shells' completion scripts. All of them run `helve completion words`, which prints a word, a tab and a
// description per line, or only `:files` or `:folders`, which the shell completes itself.

const bash = `# Completion of helve for bash.
_helve() {
  local program=("$1") words=() piece glue='' i whole line
  [[ -n \${BASH_ALIASES[$1]} ]] && eval "program=(\${BASH_ALIASES[$1]})"
  # bash cuts words at = and :, helve does not.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=\${COMP_WORDS[i]}
    if [[ \${#words[@]} -gt 0 && ( $piece == [=:] || -n $glue ) ]]; then
      words[\${#words[@]}-1]+=$piece
    else
      words+=("$piece")
    fi
    if [[ $piece == [=:] ]]; then glue=yes; else glue=''; fi
  done
  whole=\${words[\${#words[@]}-1]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        [[ $line == :files ]] && i=-f || i=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $i -- "$2")
        ;;
      *)
        line=\${line%%$'\\t'*}
        COMPREPLY+=("\${line#"\${whole%"$2"}"}")
        ;;
    esac
  done < <("\${program[@]}" completion words -- "\${words[@]}" 2>/dev/null)
}
complete -F _helve helve`;

const zsh = `#compdef helve
# Completion of helve for zsh.
_helve() {
  local line found=1
  local -a program=("$words[1]") described
  [[ -n $aliases[$words[1]] ]] && eval "program=($aliases[$words[1]])"
  for line in "\${(@f)$("\${program[@]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files && found=0 ;;
      :folders) _files -/ && found=0 ;;
      ?*) described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#described )) && _describe helve described && found=0
  return $found
}
if [[ $funcstack[1] == _helve ]]; then _helve "$@"; else compdef _helve helve; fi`;

const fish = `# Completion of helve for fish.
function __helve_words
    set -l words (commandline -opc) (commandline -ct)
    for line in (helve completion words -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c helve -f -a '(__helve_words)'`;

export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };

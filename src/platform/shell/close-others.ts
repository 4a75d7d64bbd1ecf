/**
 * Bash code that closes every descriptor above the last one in use. Descriptors that were open when Helve was started
 * are inherited by all its children, and would bypass the sandbox.
 */
export const closeOthers = (last: number): string =>
  `for helve_file in /proc/self/fd/*; do case \${helve_file##*/} in [0-${last}] | \\*) ;; *) eval "exec \${helve_file##*/}>&-" ;; esac; done; unset helve_file`;

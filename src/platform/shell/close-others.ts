/**
 * What makes bash close every descriptor above the last that is its own. Whatever was open where Helve was started is
 * handed on to all it starts, and behind it could be anything, past every wall.
 */
export const closeOthers = (last: number): string =>
  `for helve_file in /proc/self/fd/*; do case \${helve_file##*/} in [0-${last}] | \\*) ;; *) eval "exec \${helve_file##*/}>&-" ;; esac; done; unset helve_file`;

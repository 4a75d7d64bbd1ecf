#!/bin/sh
if grep -q "rm -rf"; then
  echo "Removing whole folders is not allowed here" >&2
  exit 2
fi

helve config trust --yes
helve doctor
helve call Bash '{"command": "rm -rf build"}' || true
helve call Bash '{"command": "cat secrets/key"}' || true
helve -p "/release 2" --output-format stream-json

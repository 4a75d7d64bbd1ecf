helve permissions test policy-tests.jsonc --settings managed-settings.json
helve -p "Say hello." --settings managed-settings.json --permission-mode bypassPermissions || echo "exit $?"
helve call Bash '{"command": "npm publish"}' --settings managed-settings.json || true
helve audit verify

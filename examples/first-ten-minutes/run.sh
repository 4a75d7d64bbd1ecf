helve doctor
helve call Read '{"file_path": "sum.mjs"}'
helve permissions explain Bash '{"command": "node --test && git push"}'
helve -p "The test of sum.mjs fails. Fix it." --permission-mode acceptEdits --allowed-tools "Bash(node --test)"
helve undo --dry-run
helve audit show last

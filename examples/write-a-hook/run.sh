echo '{"tool_name": "Write", "tool_input": {"file_path": "generated/api.ts"}}' | node hooks/no-generated.mjs || echo " (exit $?)"
helve config trust --yes
helve call Write '{"file_path": "generated/api.ts", "content": ""}' --permission-mode acceptEdits || true
helve call Write '{"file_path": "package.json", "content": "{"}' --permission-mode acceptEdits

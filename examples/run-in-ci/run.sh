helve -p "Publish it." --mcp-config gate.json --permission-prompt-tool mcp__gate__approve --output-format stream-json

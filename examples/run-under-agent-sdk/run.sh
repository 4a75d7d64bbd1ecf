echo '{"type": "user", "message": {"role": "user", "content": "Say hello."}}' |
  helve -p --output-format stream-json --input-format stream-json --model scripted/answers.json

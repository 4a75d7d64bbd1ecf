helve demo
helve doctor
helve call Read sum.mjs
helve call Bash 'node --test' --allowed-tools 'Bash(node --test)' || true
helve permissions explain Bash 'node --test && git push'
helve -p "The test of sum.mjs fails. Fix it." --model scripted/answers.json --permission-mode acceptEdits --allowed-tools 'Bash(node --test)'
helve sessions show last
helve audit show last
helve -p "Add a test for an empty list." --continue --model scripted/next-answers.json --permission-mode acceptEdits --allowed-tools 'Bash(node --test)'
helve undo --turn --dry-run
helve undo --turn --yes
helve replay last --no-sandbox

export const help = `helve schedule: run prompts at times of the day or the week

  helve schedule [list]                    what is scheduled, and when it runs next
  helve schedule add "CRON" "PROMPT" …     run the prompt in this folder at these times; options of helve -p follow
  helve schedule remove ID …               remove schedules
  helve schedule run                       run what is due now, one after the other; to be called every minute by
                                           cron, a systemd timer or launchd: without it, nothing runs

Options
  --json                    of list: as JSON
  --model NAME, --permission-mode MODE, --max-budget-usd N   of add, as all options of helve -p: how the prompt runs

CRON has five fields: minute, hour, day of the month, month, day of the week, in the time zone of this machine.
"0 9 * * 1-5" is 9:00 from Monday to Friday, "*/30 * * * *" every half hour; names such as mon and jan, @hourly, @daily,
@weekly, @monthly and @yearly work too. Times that were missed run once. The host process runs what is due as background
sessions, with stored keys and sign-ins (/key, helve login). With helve schedule run no one can be asked, so calls that
need a permission are denied, unless rules or --permission-mode allow them.
Exit status: 0 success; 1 a prompt failed, or there is no such schedule; 2 wrong usage`;

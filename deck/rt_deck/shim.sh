#!/bin/sh
# Runs one session's command and records how it ended, because tmux below 3.5 can lose an exit status.
#
#   shim.sh RECORD MARK LAUNCH
#
# LAUNCH (0600, removed at once) sets directory, environment and arguments. RECORD becomes "MARK CODE SECONDS":
# which start it was, the exit code (128 + n after signal n), and when, in seconds since the epoch.
__rt_record=$1 __rt_mark=$2 __rt_launch=$3
trap : HUP INT QUIT TERM # outlive the command; the command itself gets the default actions back
trap '__rt_code=$?
printf "%s %s %s\n" "$__rt_mark" "$__rt_code" "$(date +%s)" 2>/dev/null >"$__rt_record"
exit "$__rt_code"' EXIT
. "$__rt_launch"
"$@"

# Completions of `reachability` for fish.

set -l commands check watch record wait path explain verify report
set -l none "not __fish_seen_subcommand_from $commands"
set -l kinds 'wired wifi cellular bluetooth loopback other'

complete -c reachability -f
complete -c reachability -n "$none" -a check -d 'Print the status of each target and its reason'
complete -c reachability -n "$none" -a watch -d 'Print the status of each target, then each change'
complete -c reachability -n "$none" -a record -d 'Append the path, each status and each change to a file'
complete -c reachability -n "$none" -a wait -d 'Return as soon as all targets are reachable'
complete -c reachability -n "$none" -a path -d 'Print the interfaces in use, and why the others are unusable'
complete -c reachability -n "$none" -a explain -d 'Print what decides a target\'s status, step by step, and how to fix it'
complete -c reachability -n "$none" -a verify -d 'Send requests to URLs or TCP ports, and detect captive portals'
complete -c reachability -n "$none" -a report -d 'Print what records say about a period: outages, causes and sums'
complete -c reachability -n 'not __fish_seen_subcommand_from path verify report' -a default -d 'The default route'

complete -c reachability -l json -d 'Print one JSON object per line'
complete -c reachability -n 'not __fish_seen_subcommand_from verify report' -l namespace -x -a '(path basename /run/netns/* 2>/dev/null)' -d 'Use another network namespace'
complete -c reachability -s h -l help -d 'Print the help text'
complete -c reachability -l version -d 'Print the version'

set -l targets 'not __fish_seen_subcommand_from path verify report'
complete -c reachability -n "$targets" -l interface -x -a '(path basename /sys/class/net/*)' -d 'Only through this interface'
complete -c reachability -n "$targets" -l from -x -d 'Only from this local address'
complete -c reachability -n "$targets" -l mark -x -d 'For packets with this firewall mark'
complete -c reachability -n 'not __fish_seen_subcommand_from path explain verify report' -l settle -x -d 'Report only changes that last this long'
complete -c reachability -n '__fish_seen_subcommand_from watch path verify' -l count -x -d 'End after this many'
complete -c reachability -n '__fish_seen_subcommand_from watch wait path explain' -l timeout -x -d 'End after this long'
complete -c reachability -n '__fish_seen_subcommand_from verify' -l timeout -x -d 'The time limit of each attempt'
complete -c reachability -n '__fish_seen_subcommand_from explain' -l probe -x -d 'Also connect to this TCP port'
complete -c reachability -n '__fish_seen_subcommand_from wait' -l until -x -a 'reachable unreachable' -d 'The state to wait for'
complete -c reachability -n '__fish_seen_subcommand_from wait' -l any -d 'Until one of the targets is as requested'
complete -c reachability -n '__fish_seen_subcommand_from wait' -l verify -x -a 'http:// https:// tcp://' -d 'Also until this endpoint answers'
complete -c reachability -n '__fish_seen_subcommand_from path verify' -l watch -d 'Print the current state, then each change'
complete -c reachability -n '__fish_seen_subcommand_from watch record path' -l evidence -d 'Also print whether anything answers'
complete -c reachability -n '__fish_seen_subcommand_from path' -l require -x -a "$kinds" -d 'Use only interfaces of this kind'
complete -c reachability -n '__fish_seen_subcommand_from path' -l prohibit -x -a "$kinds" -d 'Use no interfaces of this kind'
complete -c reachability -n '__fish_seen_subcommand_from record' -l to -r -F -d 'Append to this file'
complete -c reachability -n '__fish_seen_subcommand_from record' -l rotate -x -d 'Begin another file before this size'
complete -c reachability -n '__fish_seen_subcommand_from record' -l keep -x -d 'Keep this many older files'
complete -c reachability -n '__fish_seen_subcommand_from record' -l heartbeat -x -d 'Write a line at least this often'

set -l verify '__fish_seen_subcommand_from verify'
complete -c reachability -n "$verify" -a 'http:// https:// tcp://'
complete -c reachability -n "$verify" -l any -d 'Verified if one target answers as expected'
complete -c reachability -n "$verify" -l all -d 'Verified if all targets answer as expected'
complete -c reachability -n "$verify" -l share -x -d 'Verified if at least this share answers as expected'
complete -c reachability -n "$verify" -l expect-status -x -d 'Expect this HTTP status, or one of a range'
complete -c reachability -n "$verify" -l expect-body -x -d 'Expect this text in a response'
complete -c reachability -n "$verify" -l portal-api -x -d 'Query the network\'s captive portal API first'
complete -c reachability -n "$verify" -l every -x -d 'Also verify again this long after each verification'

set -l report '__fish_seen_subcommand_from report'
complete -c reachability -n "$report" -F
complete -c reachability -n "$report" -l since -x -d 'Begin the report at this time'
complete -c reachability -n "$report" -l until -x -d 'End the report before this time'

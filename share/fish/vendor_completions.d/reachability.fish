# Completions of `reachability` for fish.

set -l commands check watch wait path explain verify
set -l none "not __fish_seen_subcommand_from $commands"
set -l kinds 'wired wifi cellular bluetooth loopback other'

complete -c reachability -f
complete -c reachability -n "$none" -a check -d 'Print each target\'s status and reason'
complete -c reachability -n "$none" -a watch -d 'Print the present statuses, then each change'
complete -c reachability -n "$none" -a wait -d 'Return as soon as all targets are reachable'
complete -c reachability -n "$none" -a path -d 'Print by which interfaces packets leave this machine'
complete -c reachability -n "$none" -a explain -d 'Print what decides a target\'s status, step by step'
complete -c reachability -n "$none" -a verify -d 'Ask URLs or TCP ports, and tell whether they answer as expected'
complete -c reachability -n 'not __fish_seen_subcommand_from path verify' -a default -d 'The default route'

complete -c reachability -l json -d 'Print one JSON object a line'
complete -c reachability -n 'not __fish_seen_subcommand_from verify' -l namespace -x -a '(path basename /run/netns/* 2>/dev/null)' -d 'In another network namespace'
complete -c reachability -s h -l help -d 'Print the help text'
complete -c reachability -l version -d 'Print the version'

set -l targets 'not __fish_seen_subcommand_from path verify'
complete -c reachability -n "$targets" -l interface -x -a '(path basename /sys/class/net/*)' -d 'Only by this interface'
complete -c reachability -n "$targets" -l from -x -d 'Only from this local address'
complete -c reachability -n "$targets" -l mark -x -d 'As packets with this firewall mark'
complete -c reachability -n 'not __fish_seen_subcommand_from path explain verify' -l settle -x -d 'Tell a change only when it has lasted so long'
complete -c reachability -n '__fish_seen_subcommand_from watch path verify' -l count -x -d 'End after so many'
complete -c reachability -n '__fish_seen_subcommand_from watch wait path explain' -l timeout -x -d 'End after this long'
complete -c reachability -n '__fish_seen_subcommand_from verify' -l timeout -x -d 'How long each attempt may take'
complete -c reachability -n '__fish_seen_subcommand_from explain' -l probe -x -d 'Try to connect to this TCP port as well'
complete -c reachability -n '__fish_seen_subcommand_from wait' -l until -x -a 'reachable unreachable' -d 'What to wait for'
complete -c reachability -n '__fish_seen_subcommand_from path verify' -l watch -d 'Print what is now, then each change'
complete -c reachability -n '__fish_seen_subcommand_from path' -l require -x -a "$kinds" -d 'Only by interfaces of this kind'
complete -c reachability -n '__fish_seen_subcommand_from path' -l prohibit -x -a "$kinds" -d 'Not by interfaces of this kind'

set -l verify '__fish_seen_subcommand_from verify'
complete -c reachability -n "$verify" -a 'http:// https:// tcp://'
complete -c reachability -n "$verify" -l any -d 'Verified if one target is as expected'
complete -c reachability -n "$verify" -l all -d 'Verified if all targets are as expected'
complete -c reachability -n "$verify" -l share -x -d 'Verified if at least this share is as expected'
complete -c reachability -n "$verify" -l expect-status -x -d 'Expect this status of URLs, or one of a range'
complete -c reachability -n "$verify" -l expect-body -x -d 'Expect this text in what URLs give'
complete -c reachability -n "$verify" -l portal-api -x -d 'Ask the network\'s captive portal interface first'
complete -c reachability -n "$verify" -l every -x -d 'Verify again this long after each time, too'

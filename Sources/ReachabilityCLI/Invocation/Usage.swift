/// The help text of the command.
enum Usage {
  static let text = """
    Reports whether packets can leave this machine for a target, through which
    interface, and if not, why not. It reads kernel state and sends nothing but DNS
    lookups; only 'explain --probe', '--verify' and 'verify' connect.

    Usage: reachability [check] [TARGET…] [OPTION…]
           reachability watch [TARGET…] [--evidence] [--count N] [--timeout D]
                              [OPTION…]
           reachability record [TARGET…] --to FILE [--rotate SIZE] [--keep N]
                               [--heartbeat D] [--evidence] [--textfile FILE]
                               [--verify URL]… [--verify-every D] [OPTION…]
           reachability wait [TARGET…] [--any] [--verify URL]… [--timeout D]
                             [--until STATE] [OPTION…]
           reachability path [--watch [--count N] [--timeout D]] [--evidence]
                             [--require KIND] [--prohibit KIND]… [OPTION…]
           reachability explain [TARGET [--probe PORT [--timeout D]]] [OPTION…]
           reachability export [TARGET…] --textfile FILE [--label LABEL]…
                               [--every D] [OPTION…]
           reachability verify TARGET… [OPTION…]
           reachability report FILE… [OPTION…]

    Commands:
      check    print the status of each target and its reason (the default command)
      watch    print the status of each target, then each change, with the time
      record   append the path, each status and each change to a file
      wait     return as soon as all targets are reachable (or unreachable)
      path     print the interfaces in use, and why the others are unusable
      explain  print what decides a target's status, step by step, and how to fix it
      export   keep a file of metrics for Prometheus up to date, until it is stopped
      verify   send requests to URLs or TCP ports, and detect captive portals
      report   print what records say about a period: outages, causes and sums

    'verify' and 'report' are separate programs, reachability-verify and
    reachability-report; for their options, see 'reachability verify --help' and
    'reachability report --help'.

    Targets:
      10.9.0.1, fd00::1    an IPv4 or IPv6 address
      fe80::1%eth0         a link-local address with its zone
      example.com          a host name, as reachable as the best of its addresses;
                           each address is printed with its own status
      https://example.com  a URL; policy rules may select by its protocol and port
                           (also tcp://10.9.0.1:22 and udp://[fd00::1]:53)
      default              the default route; also the target if there is none

    Options for all commands but verify and report:
      --json            print one JSON object per line (not export)
      --namespace NS    use another network namespace: a name listed by 'ip netns',
                        a process ID, or a path
      --help            print this text (also -h)
      --version         print the version

    Options for check, watch, record, wait, explain and export:
      --interface NAME  only through this interface: any of its names, or its index;
                        it may appear and disappear
      --from ADDRESS    only from this local address
      --mark N          for packets with this firewall mark, for example 66 or 0x42
      --settle D        watch, record, wait: only changes that last this long

    Options for record:
      --to FILE         append to this file; only one 'record' at a time can do so
      --rotate SIZE     begin another file before this size (64M by default)
      --keep N          keep this many older files: FILE.1 and so on (3 by default)
      --heartbeat D     write a line at least this often (60s by default)
      --verify URL      also append whether this URL or tcp://HOST:PORT answers,
                        which 'verify' finds out, and each change (repeatable)
      --verify-every D  verify this long after each verification (1m by default),
                        and when the network changes

    Options for explain:
      --probe PORT      also connect to this TCP port of the target, and query each
                        name server; this port replaces a URL's for policy rules
      --timeout D       with --probe: stop after this long (10s by default)

    Options for export and record:
      --textfile FILE   keep this file of metrics for node_exporter up to date; its
                        name ends in .prom, and it is removed at the end
      --label LABEL     add NAME=VALUE to all series, so that a folder may have
                        several files, for example namespace=blue (repeatable)
      --every D         rewrite the file at least this often, even without a change
                        (15s by default)

    Options for watch, record, wait and path:
      --count N         watch, path --watch: end after this many statuses or paths
      --timeout D       end after this long
      --until STATE     wait: for 'reachable' (the default) or 'unreachable'
      --any             wait: until one of the targets is as requested, not all
      --verify URL      wait: also until this URL or tcp://HOST:PORT answers, which
                        'verify' finds out (repeatable)
      --watch           path: print the current path, then each change
      --evidence        watch, record, path: also whether anything answers, as this
                        machine's own TCP connections show; sends nothing
      --require KIND    path: use only interfaces of this kind
      --prohibit KIND   path: use no interfaces of this kind (repeatable)

    KIND is 'wired', 'wifi', 'cellular', 'bluetooth', 'loopback' or 'other'.
    D is a whole number with a unit: 500ms, 30s, 2m, 1h.
    SIZE is a whole number with a unit: 64K, 10M, 1G.
    Options may stand before or after targets.

    Exit status:
      0  check: all targets are reachable; explain: the target is reachable, and
         with --probe the connection succeeded; wait: the targets are as requested;
         path: satisfied; verify: verified; watch, record, export, --watch: the
         command has ended; report: complete
      1  check, explain: a target is not reachable, or not connected; wait: timed
         out; path: not satisfied; verify: not verified
      2  the usage is wrong, or the system cannot be queried; record: lines are lost

    """
}

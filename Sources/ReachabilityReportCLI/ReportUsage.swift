/// The help text of the command.
enum ReportUsage {
  static let text = """
    Prints when targets were reachable, and what happened when they were not, from
    the files that 'reachability record' wrote.

    Usage: reachability report FILE… [OPTION…]

    Files may be those of several machines, and copies of each other. Those that
    gzip, xz or zstd compressed are read through that program. Lines that cannot
    be read are counted, and reported with the number of the first one.

    Options:
      --since T   begin the report at this time (at the first line by default)
      --until T   end the report before this time (at the last line by default)
      --json      print one JSON object per line
      --html OUT  write a page for browsers to this file, and print nothing
      --redact    replace the names of machines, targets, endpoints and
                  interfaces, and addresses, by numbers
      --help      print this text (also -h)
      --version   print the version

    T is a local time such as '2026-11-23 09:14', a time with its zone such as
    2026-11-23T09:14:02Z, or an age such as 30m, 24h or 7d.
    Options may stand before or after files.

    In a bar, a character stands for an equal part of the period:
      █       reachable
      ▇ to ▁  unreachable for a part of it: the higher, the shorter
      x       unreachable
      ?       mostly unknown
      ░       mostly not monitored

    Incidents are listed with the oldest first. Outages of one target that follow
    each other within a minute are one incident.

    Exit status:
      0  the report is complete
      2  the usage is wrong, a file cannot be read, or no line can be read

    """
}

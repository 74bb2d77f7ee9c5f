/// The help text of the command.
enum ReportUsage {
  static let text = """
    Prints when targets were reachable, and what happened when they were not, from
    the records of 'reachability record'.

    Usage: reachability report FILE… [OPTION…]

    """
}

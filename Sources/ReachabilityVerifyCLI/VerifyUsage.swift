/// The help text of the command.
enum VerifyUsage {
  static let text = """
    Verifies that servers answer as expected, and detects captive portals.
    Only the given targets are contacted.

    Usage: reachability verify TARGET… [OPTION…]

    A target is an http or https URL, or tcp://HOST:PORT for a connection. Redirects are not followed.

    Options:
      --any                   verified if at least one target answers as expected
      --all                   verified if all targets answer as expected (the default)
      --share N%              verified if at least this share of the targets answers as expected
      --expect-status N       expect this status from URLs, or a range of them such as 200-299 (the default)
      --expect-body TEXT      expect this text in the first MiB of the body from URLs
      --timeout D             time limit of each attempt (10s by default)
      --portal-api URL        query the network's captive portal API first (RFC 8908; or its URN of RFC 8910)
      --watch                 print the current state, then each change; verify again when the network changes
      --every D               with --watch: also verify again this long after each verification
      --count N               with --watch: end after this many states
      --json                  print one JSON object per line
      --help                  print this text (also -h)
      --version               print the version

    A duration D is a whole number with a unit: 500ms, 30s, 2m, 1h. Options may precede or follow targets.

    Exit status: 0 verified, or the end (with --watch);
                 1 not verified: a captive portal, no answer, or an unexpected answer;
                 2 wrong usage, or a system error.

    """
}

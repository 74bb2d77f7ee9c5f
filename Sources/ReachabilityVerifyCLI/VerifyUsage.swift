/// What the command says of itself.
enum VerifyUsage {
  static let text = """
    Tells whether somebody answers as expected, and whether a captive portal is in the way.
    It asks the targets that are named, and nobody else.

    Usage: reachability verify TARGET… [OPTION…]

    A target is an http or https URL, or tcp://HOST:PORT for a connection. Redirects are not followed.

    Options:
      --any                   verified if one target is as expected
      --all                   verified if all targets are as expected (the default)
      --share N%              verified if at least this share of the targets is as expected
      --expect-status N       expect this status of URLs, or one of a range such as 200-299 (the default)
      --expect-body TEXT      expect this text in the first MiB of what URLs give
      --timeout D             how long each attempt may take (10s if not given)
      --portal-api URL        ask the network's captive portal interface first (RFC 8908; or its urn of RFC 8910)
      --watch                 print the present state, then each change; verify again when the network changes
      --every D               with --watch: verify again this long after each time, too
      --count N               with --watch: end after this many states
      --json                  print one JSON object a line
      --help                  print this text (also -h)
      --version               print the version

    A duration D is a whole number with a unit: 500ms, 30s, 2m, 1h. Options may stand before or after targets.

    Exit status: 0 verified, or the end (with --watch);
                 1 not verified: a captive portal, no answer, or another than expected;
                 2 wrong usage or trouble.

    """
}

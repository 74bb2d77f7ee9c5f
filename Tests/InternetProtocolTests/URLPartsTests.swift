// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@Suite(.deadline) struct URLPartsTests {
  @Test(
    arguments: [
      ("https://a.test", "https://a.test"), ("https://a.test:8443/x/y", "https://a.test:8443/x/y"),
      ("https://user:secret@a.test/", "https://a.test/"), ("https://secret@a.test:1", "https://a.test:1"),
      ("https://a@b:secret@a.test/@x", "https://a.test/@x"), ("https://a.test?secret@x", "https://a.test"),
      ("https://a.test/x?secret#secret", "https://a.test/x"), ("https://a.test#secret/?x", "https://a.test"),
      ("https://secret@[fe80::1%25v0]:1/", "https://[fe80::1%25v0]:1/"),
      ("https://a.test/x?\u{301}secret", "https://a.test/x"),
      ("a.test", "a.test"), ("fe80::1%a@b#c", "fe80::1%a@b#c"), ("", ""),
    ])
  func `a URL is shown without user information, query and fragment`(text: String, shown: String) {
    #expect(text.withoutSecrets == shown)
    #expect(shown.withoutSecrets == shown)
  }

  @Test(
    arguments: [
      ("https://user:secret@ho st/", "https://…@ho st/"), ("https//user:secret@host", "…@host"),
      ("user:secret@host", "…@host"), ("https://user:s3 cret@ho st/", "https://…@ho st/"),
      ("https://user:p/secret@host", "https://…@host"), ("https://user:p?secret@host", "https://…"),
      ("https://ho st/?a=b@c&secret", "https://…"), ("https://ho st?secret", "https://ho st…"),
      ("https://ho st#secret", "https://ho st…"), ("https://user:secret%40host/", "https://…@host/"),
      ("https://ho st%3Fsecret", "https://ho st…"), ("https://ho st%23secret", "https://ho st…"),
      ("https://user:secret", "https://user:…"), ("https://user:secret/x", "https://user:…"),
      ("udp://ho st:23#secret", "udp://ho st:23…"), ("udp://fd00:5?secret", "udp://fd00:5…"),
      ("https://user:s:cret@\u{301}host", "https://…@\u{301}host"),
      ("--x=https://u:secret@h", "--x=https://…@h"),
      ("user:secret@https://host", "…@https://host"),
      ("10.1.0.256", "10.1.0.256"), ("fd00::1::2", "fd00::1::2"), ("http://x:65536", "http://x:65536"),
      ("http://fd00::1/", "http://fd00::1/"), ("host:443", "host:443"), ("fe80::1%eth0", "fe80::1%eth0"),
      ("", ""),
    ])
  func `text other than a URL is shown without possible secrets`(text: String, shown: String) {
    #expect(text.redacted == shown)
    #expect(shown.redacted == shown)
  }
}

// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import Netlink
import POSIX
import Synchronization
import Testing

@testable import ReachabilityKit

@Suite("Captive portal APIs that networks announce", .deadline)
struct PortalTests {
  private func path(on links: Int...) -> PathEvaluation {
    PathEvaluation(
      ReachabilityPath(
        .satisfied,
        interfaces: links.map { .init(ReachabilityInterface(name: "eth\($0)", index: $0, kind: .wired)) }))
  }

  private func option(_ text: String, on link: Int32 = 2) -> RouterOption {
    RouterOption(index: link, captivePortal: Array(text.utf8))
  }

  @Test(arguments: [
    "https://portal.example/api", "HTTPS://portal.example", "https://[fd00::1]:8443/a?b=c#d",
    "https://portal.example/a%20b@c",
  ])
  func `a URL with https counts`(_ text: String) {
    #expect(PortalAddress.text(text.utf8) == text)
  }

  @Test func `the name for a network without a portal counts in any case`() {
    #expect(
      PortalAddress.text("URN:ietf:params:capport:Unrestricted".utf8) == ReachabilityPath.Interface.noPortal)
  }

  @Test(arguments: [
    "", "http://portal.example/", "https:", "https://", "https:///api", "https://:443/", "file:///etc/passwd",
    "https://user@portal.example/", "https://user:secret@portal.example/", "https://@portal.example",
    "https://portal.example/a b", "https://portal.example/\u{1b}[2J", "https://portal.example/\n",
    "https://pörtal.example/", "urn:ietf:params:capport:other",
    "https://portal.example/" + String(repeating: "a", count: 2048),
  ])
  func `no other address counts`(_ text: String) {
    #expect(PortalAddress.text(text.utf8) == nil)
  }

  @Test func `the last valid announcement counts, until routers must have repeated it`() {
    var portals = AnnouncedPortals()
    let start = Moment.now
    let options = [option("https://a.example/"), option("http://b.example/"), RouterOption(index: 2)]
    let isNews = options.map { portals.record($0, now: start) }
    #expect(isNews == [true, false, false])
    var evaluation = path(on: 2, 3)
    portals.add(to: &evaluation, now: start.advanced(by: .seconds(5000)))
    #expect(evaluation.path.interfaces.map(\.captivePortalAPI) == ["https://a.example/", nil])
    #expect(evaluation.lifetime == .seconds(400))
    var later = path(on: 2)
    portals.add(to: &later, now: start.advanced(by: .seconds(5400)))
    #expect(later == path(on: 2))
    _ = portals.record(option("https://c.example/"), now: start)
    portals.keep { $0 != 2 }
    #expect(portals.isEmpty)
  }

  @Test func `what two subscriptions received is one answer, the newest`() {
    var (portals, others) = (AnnouncedPortals(), AnnouncedPortals())
    let start = Moment.now
    _ = portals.record(option("https://old.example/"), now: start)
    _ = others.record(option("https://new.example/"), now: start.advanced(by: .seconds(1)))
    _ = others.record(option("https://other.example/", on: 3), now: start)
    portals.add(others)
    var evaluation = path(on: 2, 3)
    portals.add(to: &evaluation, now: start)
    #expect(
      evaluation.path.interfaces.map(\.captivePortalAPI) == [
        "https://new.example/", "https://other.example/",
      ])
  }

  // MARK: networkd

  @Test(arguments: [
    ("CAPTIVE_PORTAL=https://portal.example/", "https://portal.example/"),
    (
      "ADMIN_STATE=configured\nCAPTIVE_PORTAL=\"https://portal.example/\"\nMDNS=no\n",
      "https://portal.example/"
    ),
    ("CAPTIVE_PORTAL=https://a.example/\nCAPTIVE_PORTAL=https://b.example/\n", "https://b.example/"),
    ("CAPTIVE_PORTAL=\n", nil), ("CAPTIVE_PORTAL=\"\n", nil), ("OPER_STATE=routable\n", nil), ("", nil),
    ("XCAPTIVE_PORTAL=https://portal.example/", nil), ("CAPTIVE_PORTAL=http://portal.example/", nil),
  ])
  func `networkd's file of a link has the address`(_ file: String, _ address: String?) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "links-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(file.utf8).write(to: folder.appending(path: "2"))
    var evaluation = path(on: 2, 3)
    NetworkdLinks(folder.path, isOfThisNetwork: { true }).addPortals(to: &evaluation)
    #expect(evaluation.path.interfaces.map(\.captivePortalAPI) == [address, nil])
  }

  @Test func `networkd's files of another network do not count, and what a router announced comes first`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "links-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("CAPTIVE_PORTAL=https://networkd.example/".utf8).write(to: folder.appending(path: "2"))
    let questions = Mutex(0)
    let foreign = NetworkdLinks(folder.path) {
      questions.withLock { $0 += 1 }
      return false
    }
    for _ in 1...2 {
      var evaluation = path(on: 2, 3)
      foreign.addPortals(to: &evaluation)
      #expect(evaluation == path(on: 2, 3))
    }
    #expect(questions.withLock { $0 } == 1)
    var portals = AnnouncedPortals()
    _ = portals.record(option("https://router.example/"), now: .now)
    var evaluation = path(on: 2)
    portals.add(to: &evaluation, now: .now)
    NetworkdLinks(folder.path, isOfThisNetwork: { true }).addPortals(to: &evaluation)
    #expect(evaluation.path.interfaces[0].captivePortalAPI == "https://router.example/")
  }
}
#endif

#if os(Linux)
import LiveSupport
import Reachability
import Testing

extension LiveTests {
  /// Only the kernel is believed, whoever else speaks.
  @Suite("Strangers on netlink")
  struct StrangerTests {
    @Test func `a link's end is heard also when somebody elsewhere made it under our own port`() throws {
      let watched = try PathLab(.ipv4Only, defaultRoutes: false) { lab in
        for name in ["w1", "w2"] { try lab.addCable(name, far: "far-\(name)") }
      }
      let (host, peer) = (Stranger(in: watched.lab.host), Stranger(in: watched.lab.peer))
      let ports = try host.ports().listening
      try #require(ports.count == 2)
      for (port, name) in zip(ports, ["w1", "w2"]) {
        #expect(watched.paths.last?.unusableNames.contains(name) == true)
        // Ports are given out for each network namespace: in another one, everybody may have this one.
        let answer = try peer.run(
          """
          opened = open_socket(\(port))
          print(ask(opened, message(DELLINK, link("far-\(name)"), REQUEST | ACK | ECHO, 1)))
          """)
        #expect(answer == ["0"])
        watched.wait("the end of \(name)") { $0.last?.unusableNames.contains(name) == false }
        #expect(watched.monitor.path == watched.paths.last)
      }
    }
  }
}

extension NetworkPath {
  fileprivate var unusableNames: [String] { unusableInterfaces.map(\.interface.name) }
}
#endif

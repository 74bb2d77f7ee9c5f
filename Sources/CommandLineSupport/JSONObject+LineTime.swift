extension JSONObject {
  /// Creates an object with the members that each line begins with: the version of the schema and the time.
  package init(at time: LineTime) {
    self.init()
    add("version", 1)
    add("time", time.wall.text)
    if let uptime = time.uptime { add("uptimeMicroseconds", uptime) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--child" {
  Child.play(Array(arguments.dropFirst()))
  exit(0)
}

let options: Options
do {
  options = try Options(arguments)
} catch {
  complain("error: \(error)\n\(Options.usage)")
  exit(2)
}
if options.isHelp {
  print(Options.usage, terminator: "")
  exit(0)
}
if options.isList {
  for row in options.rows { print(row.name.padded(12), row.summary) }
  exit(0)
}

// Opened before the measurements, which take minutes.
let file = options.json.flatMap { fopen($0, "w") }
if let path = options.json, file == nil {
  complain("error: cannot write \(path): \(String(cString: strerror(errno)))\n")
  exit(2)
}
let bench = Bench(options)
var load = [loadNow()]
var lines: [Line] = []
print(Line.header)
for row in options.rows {
  let new = row.run(bench).map { Line($0, of: row.name) }
  for line in new { print(line.text) }
  fflush(nil)
  lines += new
}
load.append(loadNow())
print("load \(load.map { decimal($0) }.joined(separator: " at the start, ")) at the end")
if let file {
  fputs(json(of: lines, isQuick: options.isQuick, load: load), file)
  fclose(file)
}
exit(lines.contains(where: \.isOver) ? 1 : 0)

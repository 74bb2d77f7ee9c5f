#if os(Linux)
import Foundation

/// Prints a line immediately, also into a pipe.
public func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// A program that runs for minutes in network namespaces: what the walks, boots and soaks have in common.
public enum NetworkProgram {
  /// An invalid argument.
  public struct Mistake: Error {
    /// What is wrong, and what is accepted.
    public let text: String
    /// Creates a mistake.
    public init(_ text: String) { self.text = text }
  }

  /// The words of a command line, read one by one.
  public struct Words {
    private var rest: ArraySlice<String>

    init(_ words: ArraySlice<String>) { rest = words }

    /// The next word; `nil` at the end.
    public mutating func next() -> String? { rest.popFirst() }

    /// The word after an option.
    public mutating func text(after option: String) throws(Mistake) -> String {
      guard let text = next() else { throw Mistake("\(option) needs a value") }
      return text
    }

    /// The number after an option.
    public mutating func number<Number: FixedWidthInteger>(
      after option: String, from least: Number = 0
    ) throws(Mistake) -> Number {
      let most = min(999_999_999, Number.max)
      guard let number = Number(try text(after: option)), number >= least, number <= most else {
        throw Mistake("\(option) takes a whole number from \(least) to \(most)")
      }
      return number
    }
  }

  /// Runs a program with the words of the command line, and ends the process.
  ///
  /// The exit status is 0 or 1, as the body returns true or false; 2 after an invalid argument or an error; 77 where no
  /// network namespace can be created.
  public static func main(usage: String, _ body: (inout Words) throws -> Bool) -> Never {
    if CommandLine.arguments.contains("--help") {
      say(usage)
      exit(0)
    }
    // A child that ended is an error, and its last output says more.
    signal(SIGPIPE, SIG_IGN)
    do {
      var words = Words(CommandLine.arguments.dropFirst())
      exit(try body(&words) ? 0 : 1)
    } catch let mistake as Mistake {
      fail("\(mistake.text)\n\n\(usage)")
    } catch {
      fail("\(error)")
    }
  }

  /// Ends the process with the exit status 77 where no network namespace can be created.
  public static func requireNamespaces() {
    guard let reason = NetworkNamespace.unavailable else { return }
    say("skipped: \(reason)")
    exit(77)
  }

  /// Ends the process after an error.
  public static func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("error: \(text)\n".utf8))
    exit(2)
  }
}
#endif

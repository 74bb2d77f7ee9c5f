// SPDX-License-Identifier: Apache-2.0
// A program whose output shows each fault that scripts/mutate finds in it: scripts/mutate --check.

/// Each line that has faults names their rules.
struct Shelf {
  var books: [String] = []
  var limit = 3  // faults: increase
  var sold = 0

  func isFull(_ more: Int) -> Bool {
    books.count + more >= limit  // faults: negate, shift
  }

  func first(where matches: (String) -> Bool) -> String? {
    for book in books where matches(book) {  // faults: negate
      return book  // faults: return-empty
    }
    return nil
  }

  mutating func add(_ book: String?, isWanted: Bool, isGift: Bool) {
    guard let book, isWanted || isGift else { return }  // faults: nil, assume-false, assume-false
    if book.hasPrefix("A"), !books.contains(book) {  // faults: assume-true, assume-true
      books.append(book)  // faults: drop
    }
  }

  var label: String {
    let name = books.first ?? "none"  // faults: nil
    return name == "Ada" ? "best" : name  // faults: negate, return-empty
  }
}

func tell(_ words: Any...) { print(words) }  // faults: drop
#if os(macOS)
tell("nowhere")
#else
var shelf = Shelf()
tell(shelf.label)  // faults: drop
for (book, isWanted, isGift) in [
  ("Ada", true, false), ("Abc", false, true), ("Aha", false, false), ("Bee", true, true), ("Ada", true, true),
] {
  shelf.add(book, isWanted: isWanted, isGift: isGift)  // faults: drop
}
tell(shelf.books, shelf.label, shelf.isFull(-1))  // faults: drop
tell(shelf.isFull(shelf.books.count / 2), shelf.isFull(0))  // faults: drop, increase, increase
tell(shelf.first { $0 == "Abc" } as Any)  // faults: drop, negate
#endif

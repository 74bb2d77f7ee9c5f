// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Synchronization
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct ManyEventsTests {
  @Test func `a handler's call depth does not grow with the number of events`() {
    let count = 300_032
    let handled = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    let sink = HandlerSink(queue: DispatchQueue(label: "many")) { (_: ReachabilityEvent) in
      let number = handled.withLock { number in
        number += 1
        return number
      }
      if number.isMultiple(of: HandlerSink.limit) { done.signal() }
    }
    let event = ReachabilityEvent(target: .defaultRoute, status: .notReachable(.noRoute))
    // A handler that is wrapped once more at each access would by then overflow any stack.
    for number in 1...count {
      sink.receive(event)
      guard number.isMultiple(of: HandlerSink.limit) else { continue }
      #expect(done.wait(timeout: .now() + 60) == .success)
    }
    sink.cancel()
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Ends the program without exit handlers: Foundation's threads may still run, and need what the handlers of
/// libraries would free.
func exit(_ status: Int32) -> Never {
  fflush(nil)
  _exit(status)
}

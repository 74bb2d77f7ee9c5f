// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Describes the error of a failed call in the three ways that code uses.
func describeFailure() -> [String] {
  guard SCNetworkReachabilityCreateWithName(nil, "") == nil else { return [] }
  let code = CFErrorGetCode(SCCopyLastError())
  let error = SCCopyLastError() as Error
  let domain = CFErrorGetDomain(SCCopyLastError()) as String?
  return [
    code == Int(SCError()) ? "same code" : "other code", String(cString: SCErrorString(Int32(code))),
    domain ?? "no domain", error.localizedDescription, "\((error as NSError).code)",
    CFErrorCopyDescription(SCCopyLastError()) as String,
  ]
}

struct ReachabilityFailure: Error {
  let status: Int32
  let cause: Error?
}

func createOrThrow(_ name: String) throws -> SCNetworkReachability {
  guard let target = SCNetworkReachabilityCreateWithName(nil, name) else {
    throw ReachabilityFailure(status: SCError(), cause: SCCopyLastError())
  }
  return target
}
